import { removeHash, toPublicAddress } from "../page-address.ts";
import type { PageDocument, PageElement } from "./dom.ts";

/** Where a page leads on: to its next part, and to what it shows in frames. */
export interface NextLinks {
  next: string | undefined;
  frames: { url: string; title: string }[];
}

const mostFrames = 10;

/** To be read before anything is taken out of the page. */
export function readNextLinks(document: PageDocument, url: string): NextLinks {
  const base = URL.parse(document.querySelector("base[href]")?.getAttribute("href") ?? "", url)?.href ?? url;
  const resolve = (address: string | null): string | undefined => {
    const there = address === null || address.trim() === "" ? null : URL.parse(address.trim(), base);
    if (there === null || !/^https?:$/.test(there.protocol) || there.href.length > 500) return undefined;
    return removeHash(there.href) === removeHash(url) ? undefined : toPublicAddress(there);
  };
  const frames = [...document.querySelectorAll("iframe, frame")].filter(isShown).flatMap((frame) => {
    const there = resolve(frame.getAttribute("src"));
    return there === undefined ? [] : [{ url: there, title: frame.getAttribute("title") ?? "" }];
  });
  return {
    next: resolve(nextLink(document)?.getAttribute("href") ?? null),
    frames: frames.filter((frame) => !advertising.test(frame.url)).slice(0, mostFrames),
  };
}

function nextLink(document: PageDocument): PageElement | undefined {
  const named = document.querySelector("a[rel~=next], link[rel~=next]");
  if (named !== null) return named;
  const pagers = document.querySelectorAll("[class*=pag] a[href], [id*=pag] a[href], nav a[href]");
  return [...pagers].find(({ textContent }) => forward.test(textContent.trim()));
}

const forward = /^(?:next(?: page)?|下一页|下页|后一页|下一頁|次へ|次のページ|suivante?|weiter|siguiente)?\s*[›»→>]?$/i;

function isShown(frame: PageElement): boolean {
  const isTiny = ["width", "height"].some((side) => /^[01](?:px)?$/.test(frame.getAttribute(side) ?? ""));
  if (isTiny || frame.closest("noscript, template, [hidden]") !== null) return false;
  return !/display\s*:\s*none|visibility\s*:\s*hidden/i.test(frame.getAttribute("style") ?? "");
}

const advertising =
  /^https?:\/\/[^/]*(?:doubleclick|googlesyndication|googletagmanager|google-analytics|recaptcha|hcaptcha|adservice|amazon-adsystem|criteo)|\/recaptcha\/|facebook\.com\/plugins/i;
