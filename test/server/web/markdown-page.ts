import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import { parseHTML } from "linkedom";
import type { PageElement } from "../../fakes/page-host.ts";

export interface MarkdownPage {
  /** The element that the answer is shown in. */
  readonly element: PageElement & { readonly innerHTML: string };
  show(text: string, isWhole: boolean): void;
}

export type OpenPage = () => MarkdownPage;

/** The page's own Markdown, bundled as the page has it, in a document without a browser. */
export async function bundleMarkdown(): Promise<OpenPage> {
  const contents = `
    import { createMarkdown } from "./create-markdown.ts";
    export const open = () => createMarkdown(document.createElement("div"), {
      locale: "en",
      citation(n) { const a = document.createElement("a"); a.append("[" + n + "]"); return a; },
    });`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: "src/server/web/markdown", loader: "ts" },
    bundle: true,
    write: false,
    format: "iife",
    globalName: "markdown",
    platform: "browser",
    logLevel: "warning",
  });
  const { document } = parseHTML("<!doctype html><html><body></body></html>");
  const world = { document, navigator: {}, URL, markdown: { open: (): MarkdownPage => never() } };
  runInContext(`${outputFiles[0]?.text}; globalThis.markdown = markdown;`, createContext(world));
  return () => world.markdown.open();
}

function never(): never {
  throw new Error("the bundle was not run");
}
