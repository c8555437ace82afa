// Pages of the inspector in a browser, closed after the test.
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, onTestFinished } from "vitest";
import { openBrowser, whyNoBrowser } from "./browser.js";

export interface Look {
  readonly width?: number;
  readonly colorScheme?: "light" | "dark";
}

/** Tests in one browser, skipped where there is none. */
export function inBrowser(tests: (open: (url: string, look?: Look) => ReturnType<typeof openPage>) => void): void {
  const none = whyNoBrowser();
  describe.skipIf(none)(`in a browser${none ? ` (skipped: ${none})` : ""}`, () => {
    let browser: Browser;

    beforeAll(async () => {
      browser = await openBrowser();
    });

    afterAll(async () => {
      await browser?.close();
    });

    tests((url, look) => openPage(browser, url, look));
  });
}

/** The page, and all that it complained of, or asked for elsewhere. */
async function openPage(browser: Browser, url: string, { width = 1280, colorScheme = "light" }: Look = {}) {
  const page = await browser.newPage({ viewport: { width, height: 860 }, colorScheme });
  onTestFinished(() => page.close());
  const complaints: string[] = [];
  // The advice about getImageData is for the tests, which read the pixels.
  page.on("console", (message) => void (message.text().startsWith("Canvas2D") || complaints.push(message.text())));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(new URL(url).origin) && !request.url().startsWith("data:"))
      complaints.push(request.url());
  });
  await page.goto(url);
  return { page, complaints };
}

/** The rows of the tree that have a name. */
export function row(page: Page, name: string) {
  return page.locator(".row").filter({ has: page.locator(".name", { hasText: name }) });
}

/** The text that screen readers say of the selected row, while the tree has the focus. */
export function activeRow(page: Page): Promise<string> {
  return page.evaluate(
    `document.getElementById(document.activeElement.getAttribute("aria-activedescendant")).ariaLabel`,
  );
}

/** Drops files on an element, as a browser does with files from a folder. */
export async function dropFiles(
  page: Page,
  target: string,
  files: readonly { readonly name: string; readonly text: string }[],
): Promise<void> {
  const data = await page.evaluateHandle(
    `((files) => {
      const data = new DataTransfer();
      for (const { name, text } of files) data.items.add(new File([text], name, { type: "application/json" }));
      return data;
    })(${JSON.stringify(files)})`,
  );
  for (const type of ["dragenter", "dragover", "drop"]) await page.dispatchEvent(target, type, { dataTransfer: data });
}
