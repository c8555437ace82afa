// The tabs: one panel is shown at a time, and arrow keys move between tabs.

/** @param {HTMLElement} list @param {(id: string) => void} shown called with the id of the panel */
export function tabs(list, shown) {
  const all = /** @type {HTMLElement[]} */ ([...list.querySelectorAll('[role="tab"]')]);
  /** @param {HTMLElement} tab */
  const open = (tab) => {
    for (const one of all) {
      const isOpen = one === tab;
      one.setAttribute("aria-selected", String(isOpen));
      one.tabIndex = isOpen ? 0 : -1;
      const panel = document.getElementById(one.getAttribute("aria-controls") ?? "");
      if (panel !== null) panel.hidden = !isOpen;
    }
    shown(tab.getAttribute("aria-controls") ?? "");
  };
  for (const tab of all) tab.addEventListener("click", () => open(tab));
  list.addEventListener("keydown", (event) => {
    const at = all.findIndex((one) => one === document.activeElement);
    /** @type {Readonly<Record<string, number>>} */
    const places = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 };
    const place = places[event.key];
    if (place === undefined) return;
    event.preventDefault();
    const tab = all[(place + all.length) % all.length];
    if (tab === undefined) return;
    tab.focus();
    open(tab);
  });
  return {
    open: (/** @type {string} */ id) => all.filter((one) => one.getAttribute("aria-controls") === id).forEach(open),
  };
}
