import { createElement } from "./dom.ts";
import { toSafeUrl } from "./safe-url.ts";

/** Opens a page elsewhere. */
export type OpenLink = (url: string) => Promise<unknown>;

/** A link, or the text alone where the address is none that a page may lead to. */
export function createLink(url: string, text: string, openLink: OpenLink | undefined, label?: string): HTMLElement {
  const href = toSafeUrl(url);
  if (href === undefined) return createElement("span", {}, text);
  const more = label === undefined ? undefined : { "aria-label": label, title: label };
  const link = createElement("a", { href, target: "_blank", rel: "noopener noreferrer nofollow", ...more }, text);
  if (openLink === undefined) return link;
  link.addEventListener("click", (event) => {
    event.preventDefault();
    void openLink(href);
  });
  return link;
}
