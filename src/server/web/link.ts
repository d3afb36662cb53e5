import { element } from "./dom.ts";
import { safeUrl } from "./safe-url.ts";

/** Opens a page elsewhere. */
export type OpenLink = (url: string) => Promise<unknown>;

/** A link, or the text alone where the address is none that a page may lead to. */
export function createLink(url: string, text: string, openLink: OpenLink | undefined, label?: string): HTMLElement {
  const href = safeUrl(url);
  if (href === undefined) return element("span", {}, text);
  const more = label === undefined ? undefined : { "aria-label": label, title: label };
  const link = element("a", { href, target: "_blank", rel: "noopener noreferrer nofollow", ...more }, text);
  if (openLink === undefined) return link;
  link.addEventListener("click", (event) => {
    event.preventDefault();
    void openLink(href);
  });
  return link;
}
