// The tools and results of the starter set are those of real servers; DUET_UPDATE=1 writes them anew.
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { openDuet } from "../../src/app/open-duet.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import type { Tool, ToolContext } from "../../src/core/tools/tool.ts";
import type { EvalCase } from "../../src/eval/case-file.ts";
import { readCaseFile } from "../../src/eval/read-case-file.ts";
import { toRecordedTool } from "../../src/eval/recording/intercept-tools.ts";
import { recordingFormat, recordingVersion } from "../../src/eval/recording/recording-schema.ts";
import { detectLanguage } from "../../src/kit/locale.ts";
import { isMatch } from "../../src/kit/text/match-pattern.ts";
import { startAmapService } from "../fakes/amap-service.ts";
import { listRightCalls } from "../fakes/eval-models.ts";
import { configFile, npmServer, temporaryFolder } from "../fakes/program.ts";
import { type FakeResult, startFakeSearch } from "../fakes/search.ts";
import { keys, redirecting } from "../real-servers/nine.ts";

const folder = fileURLToPath(new URL("../../src/eval/starter/", import.meta.url));
const recorded = join(folder, "tools.jsonl");

test("the recorded tools of the starter set are what real servers list and answer", { timeout: 60_000 }, async () => {
  const { cases } = await readCaseFile(join(folder, "cases.json"));
  const { tools, files } = await openRealTools();
  const toShown = (text: string): string => text.replaceAll(files, "/data");
  const lines: object[] = [
    { format: recordingFormat, version: recordingVersion, made_at: "2026-11-26T00:00:00.000Z" },
    ...tools
      .filter(({ name }) => cases.some((one) => one.tools?.some((pattern) => isMatch(name, pattern))))
      .map((tool) => ({ tool: toRecordedTool(tool, tool.source === "builtin" ? "builtin" : "server") })),
  ];
  for (const one of cases)
    for (const line of await recordCalls(one, tools, files)) lines.push(JSON.parse(toShown(JSON.stringify(line))));
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  if (process.env.DUET_UPDATE === "1") await writeFile(recorded, text);
  expect(text.split("\n")).toEqual(readFileSync(recorded, "utf8").split("\n"));
});

/** The built-in tools that run without anything from outside are not recorded. */
const pure = ["calculator", "current_time", "format_data", "table_query"];

async function recordCalls(one: EvalCase, tools: readonly Tool[], files: string): Promise<object[]> {
  const lines: object[] = [];
  for (const [index, { name, input }] of listRightCalls(one).entries()) {
    const tool = tools.find((each) => each.name === name);
    expect(tool, `${one.id}: ${name}`).toBeDefined();
    const args = JSON.parse(JSON.stringify(input).replaceAll("/data", files));
    const result = await tool?.run(args, context(detectLanguage(one.question, "en")));
    expect(result?.ok, `${one.id}: ${result?.text}`).toBe(true);
    if (pure.includes(name)) continue;
    const { ok, text, sources } = result ?? {};
    const reply = { result: { ok, text, sources } };
    const asked = one.calls?.[index]?.arguments ?? {};
    const names = name === "filesystem__read_text_file" ? [name, "filesystem__read_file"] : [name];
    lines.push(...names.map((each) => ({ call: { tool: each, arguments: asked, reply } })));
  }
  return lines;
}

function context(locale: "zh" | "en"): ToolContext {
  return { signal: AbortSignal.timeout(30_000), locale, approve: async () => "once", progress() {}, notice() {} };
}

async function openRealTools(): Promise<{ tools: Tool[]; files: string }> {
  const files = await temporaryFolder();
  await mkdir(join(files, "reports"));
  const texts = {
    "notes.txt": "会议改到周四下午三点，地点不变。\n",
    "old.txt": "旧的内容\n",
    "sales.csv": "region,amount\nnorth,120\nsouth,80\n",
    "reports/q1.md": "# First quarter\n\nRevenue was 4.2 million.\n",
    "reports/q2.md": "# Second quarter\n\nRevenue was 4.9 million.\n",
  };
  for (const [name, text] of Object.entries(texts)) await writeFile(join(files, name), text);
  const memory = join(await temporaryFolder(), "memory.json");
  const entity = (name: string, entityType: string, ...observations: string[]): string =>
    JSON.stringify({ type: "entity", name, entityType, observations });
  const known = [
    entity("林晓", "person", "素食", "住在杭州"),
    entity("Atlas", "project", "deadline 2027-01-15"),
    entity("Phoenix", "project", "cancelled"),
  ];
  await writeFile(memory, known.join("\n"));
  const amap = await startAmapService(keys.amap);
  const search = await startFakeSearch(pages);
  onTestFinished(() => search.close());
  const config = await configFile({
    mcpServers: {
      amap: npmServer("mcp-amap", [], {
        ...redirecting({ "restapi.amap.com": amap.url }),
        AMAP_MAPS_API_KEY: keys.amap,
      }),
      filesystem: npmServer("mcp-server-filesystem", [files]),
      memory: npmServer("mcp-server-memory", [], { MEMORY_FILE_PATH: memory }),
    },
    search: { searxng: { url: search.url } },
    conversations: { store: "memory" },
    locale: "en",
  });
  const environment = { PATH: process.env.PATH, HOME: files, OLLAMA_BASE_URL: "http://127.0.0.1:9/v1" };
  const duet = await openDuet(await loadConfig({ config }, environment));
  onTestFinished(() => duet.close());
  return { tools: (await duet.inventory()).tools, files };
}

const page = (title: string, content: string): FakeResult[] => [
  { title, url: `https://www.example.com/${encodeURIComponent(title)}`, content },
];

/** What the web says of places that do not exist. */
const pages: Record<string, FakeResult[]> = {
  "云帆图书馆 开放时间": page("云帆图书馆", "云帆图书馆每天 9:00 至 21:00 开放，周一闭馆。"),
  "映月湖公园 门票": page("映月湖公园", "映月湖公园免费入园，游船另收费。"),
  "青禾茶馆 招牌茶": page("青禾茶馆", "青禾茶馆的招牌是白桃乌龙。"),
  "地铁31号线 末班车": page("地铁31号线", "地铁31号线末班车 23:30 从云帆路站发出。"),
  "松涛路 灯会 日期": page("松涛路灯会", "松涛路灯会从2月14日开始，为期十天。"),
  "Duet Hall Harborview capacity": page("Duet Hall", "The Duet Hall in Harborview seats 1,840 people."),
  "Larkspur Museum founder": page("Larkspur Museum", "The Larkspur Museum was founded by Ida Venn."),
  "Corran Bridge length": page("Corran Bridge", "The Corran Bridge is 612 metres long."),
  "Fernwood OS 9 release date": page("Fernwood OS 9", "Fernwood OS 9 was released on 3 October 2026."),
  "Mount Sable height": page("Mount Sable", "Mount Sable is 2,914 metres high."),
};
