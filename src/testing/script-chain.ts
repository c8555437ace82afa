// Turns replies into a table in which each token has one successor, which is all that a script model knows.

/** A future token. `next` undefined: the reply ends here. `id` undefined: not in the vocabulary yet. */
export interface Link {
  bytes: Uint8Array;
  next: Link | undefined;
  id: number | undefined;
}

export class Chains {
  readonly #links = new Map<string, Link>();
  readonly #serials = new Map<Link, number>();

  /** Returns the first link of a reply; undefined for an empty one. Replies with equal endings share links. */
  add(pieces: readonly Uint8Array[]): Link | undefined {
    let next: Link | undefined;
    for (let i = pieces.length - 1; i >= 0; i--) next = this.#shared(pieces[i] ?? new Uint8Array(), next);
    return next;
  }

  /** Returns the first link of a reply that starts over at its end. */
  addEndless(pieces: readonly Uint8Array[]): Link | undefined {
    const links = pieces.map((bytes) => this.#link(bytes, undefined));
    links.forEach((link, i) => (link.next = links[(i + 1) % links.length]));
    return links[0];
  }

  /**
   * Gives an id to every link that a reply reaches, and returns these links. `add` adds a piece to the vocabulary; it
   * returns undefined if no room is left for another token of that piece.
   */
  place(replies: readonly (Link | undefined)[], add: (bytes: Uint8Array) => number | undefined): Link[] {
    // The end of a reply cannot be joined with a successor, so it is placed while there is room.
    for (const link of this.#serials.keys()) if (link.next === undefined) link.id = add(link.bytes);
    const placed = new Set<Link>();
    for (const first of replies) {
      for (let link = first; link !== undefined && !placed.has(link); link = link.next) {
        link.id ??= add(link.bytes);
        while (link.id === undefined) {
          join(link);
          link.id = add(link.bytes);
        }
        placed.add(link);
      }
    }
    return [...placed];
  }

  #shared(bytes: Uint8Array, next: Link | undefined): Link {
    const key = `${Buffer.from(bytes).toString("hex")}:${next === undefined ? "" : this.#serials.get(next)}`;
    const known = this.#links.get(key);
    if (known !== undefined) return known;
    const link = this.#link(bytes, next);
    this.#links.set(key, link);
    return link;
  }

  #link(bytes: Uint8Array, next: Link | undefined): Link {
    const link: Link = { bytes, next, id: undefined };
    this.#serials.set(link, this.#serials.size);
    return link;
  }
}

/** Merges a link with its successor. */
function join(link: Link): void {
  if (link.next === undefined) throw new RangeError("No room for the end of a reply");
  link.bytes = Buffer.concat([link.bytes, link.next.bytes]);
  link.next = link.next.next;
}
