import { readFile } from "node:fs/promises";
import type { Page, PageBytes, PageResult } from "../../../src/tools/page/page.ts";
import { readBytes } from "../../../src/tools/page/read-bytes.ts";

/** The bytes of a saved page of ours; HTML under an ending that no linter takes for source. */
export function savedPage(name: string): Promise<Buffer> {
  return readFile(new URL(`./pages/${name}.page`, import.meta.url));
}

export function read(bytes: Uint8Array | string, over: Partial<PageBytes> = {}): Promise<PageResult> {
  const url = "https://site.example/dir/page.html";
  return readBytes({
    kind: "html",
    bytes: Uint8Array.from(Buffer.from(bytes)),
    charset: undefined,
    url,
    truncated: false,
    ...over,
  });
}

/** The page that was read; throws where there is none. */
export function pageOf(reading: PageResult): Page {
  if ("problem" in reading) throw new Error(`no page: ${JSON.stringify(reading)}`);
  return reading.page;
}

export async function readSaved(name: string): Promise<Page> {
  return pageOf(await read(await savedPage(name)));
}
