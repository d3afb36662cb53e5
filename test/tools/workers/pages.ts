import type { PageBytes } from "../../../src/tools/page/page.ts";

export function html(text: string): PageBytes {
  const bytes = new TextEncoder().encode(text);
  return { kind: "html", bytes, charset: "utf-8", url: "https://site.example/", truncated: false };
}

/** Takes its reader longer than anybody waits, in a loop that nothing else interrupts. */
export function endless(): PageBytes {
  const words = "A sentence of some words. ".repeat(40);
  return html(`<article><p>${words}</p><p>x${"\u00a0".repeat(600_000)}y</p></article>`);
}

export function sentence(n: number): PageBytes {
  return html(`<p>Sentence ${n}.</p>`);
}
