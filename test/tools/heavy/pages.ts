import type { PageBytes } from "../../../src/tools/page/page.ts";

export function html(text: string): PageBytes {
  const bytes = new TextEncoder().encode(text);
  return { kind: "html", bytes, charset: "utf-8", url: "https://site.example/", truncated: false };
}

/** Takes its reader longer than anybody waits, in a loop that nothing else interrupts. */
export function endless(): PageBytes {
  return html(`<body>${"<a><b>".repeat(150)}${"<i>x</i>".repeat(400_000)}`);
}

export function sentence(n: number): PageBytes {
  return html(`<p>Sentence ${n}.</p>`);
}
