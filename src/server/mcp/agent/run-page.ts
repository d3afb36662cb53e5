import { readFile } from "node:fs/promises";
import type { Resource } from "@modelcontextprotocol/server";
import { pageType } from "../../../core/tools/tool-pages.ts";
import { DuetError } from "../../../kit/errors.ts";
import { isRecord } from "../../../kit/json.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import type { Capabilities } from "../capabilities.ts";
import { createWatchTool, type WatchOptions, watchName, watchRun } from "./watch-run.ts";

/** Creates the live page of a run, for hosts that show pages: the page itself, and the tool with which it follows the run. */
export function createRunPage(options: WatchOptions): Required<Pick<Capabilities, "tools" | "resources">> {
  const { locale } = options;
  return {
    tools: {
      list: async () => [createWatchTool(locale)],
      call: async (name, args, { mcpReq }) => (name === watchName ? watchRun(options, args, mcpReq.signal) : undefined),
    },
    resources: {
      list: async () => [createPageEntry(locale)],
      templates: async () => [],
      async read(uri) {
        if (uri !== runPageUri) return undefined;
        return { contents: [{ uri, mimeType: pageType, text: await readPage(), _meta: look }] };
      },
    },
  };
}

/** The page loads nothing from outside, sends nothing anywhere and embeds no frames. */
const look = {
  ui: {
    csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] },
    prefersBorder: true,
  },
};

function createPageEntry(locale: Locale): Resource {
  return {
    uri: runPageUri,
    name: "run-page",
    title: say(locale, { zh: "运行页面", en: "Page of a run" }),
    description: say(locale, {
      zh: "以实时页面显示 agent_ask 的一次运行。",
      en: "Shows a run of agent_ask as a live page.",
    }),
    mimeType: pageType,
    _meta: look,
  };
}

/** The page is beside the built program. When the program runs from its sources, the page is where the build puts it. */
async function readPage(): Promise<string> {
  const place = import.meta.url.endsWith(".ts") ? "../../../../dist/run-page.html" : "./run-page.html";
  try {
    return await readFile(new URL(place, import.meta.url), "utf8");
  } catch (cause) {
    throw new DuetError({
      code: "internal",
      text: { zh: "缺少页面文件 dist/run-page.html。", en: "The page's file dist/run-page.html is missing." },
      hint: { zh: "请运行 npm run build。", en: "Run npm run build." },
      cause,
    });
  }
}

export const runPageUri = "ui://duet/run.html";

/** Links `agent_ask` to its page, both in the current format and in the one that older hosts read. */
export const runPageMeta = { ui: { resourceUri: runPageUri }, "ui/resourceUri": runPageUri } as const;

/**
 * Returns true when a host with these capabilities shows pages. They come from the connection, or from a request of the 2026
 * era.
 */
export function canShowPages(capabilities: unknown): boolean {
  const extensions = isRecord(capabilities) ? capabilities.extensions : undefined;
  const pages = isRecord(extensions) ? extensions["io.modelcontextprotocol/ui"] : undefined;
  return isRecord(pages) && Array.isArray(pages.mimeTypes) && pages.mimeTypes.includes(pageType);
}
