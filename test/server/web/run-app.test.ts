import type { Client } from "@modelcontextprotocol/client";
import type { McpUiHostContext } from "@modelcontextprotocol/ext-apps/app-bridge";
import { expect, test } from "vitest";
import type { Source } from "../../../src/core/tools/tool.ts";
import { runPageUri } from "../../../src/server/mcp/agent/run-page.ts";
import { makeTool } from "../../fakes/events.ts";
import { type PageDocument, type PageHost, showPage } from "../../fakes/page-host.ts";
import { connect } from "../mcp/agent/connected.ts";
import { type PagedAgent, pagedAgent, type Script } from "../mcp/agent/paged-agent.ts";

const evil = '<img src=x onerror="alert(1)"><script>alert(2)</script>';
const search = { id: "1", name: "web_search", input: { query: evil } };
const sources: Source[] = [
  { title: `Duet ${evil}`, url: "https://example.com/duet", snippet: "" },
  { title: "Bad", url: "javascript:alert(3)", snippet: "" },
];

test("a whole run becomes a page: thought, call, answer, sources, bill; what a tool gave stays text", async () => {
  const tool = makeTool("web_search", () => ({ ok: true, text: `Duet is an agent. ${evil}`, sources }));
  const decide = [{ text: "I will look.", reasoning: "Let me see.", calls: [search] }, "enough"];
  const { agent, client, host } = await open({ decide, answer: ["**Duet** is an agent [1]."], tools: [tool] });
  await ask(host, client, "What is Duet?");
  await host.shows((text) => text.includes("Complete") && text.includes("Decide 1"));
  const { document } = host;
  const text = document.body.textContent ?? "";
  for (const shown of ["What is Duet?", "Let me see.", "I will look.", "web_search", "fake/decider", "fake/writer"])
    expect(text).toContain(shown);
  expect(text).toContain(evil);
  expect(document.querySelector("img")).toBeNull();
  expect(document.querySelector(".answer strong")?.textContent).toBe("Duet");
  expect(textsOf(document, ".bill dd")).toContain("unknown");
  expect(textsOf(document, ".bill h3")).toEqual(["Decide", "Answer"]);
  expect([...document.querySelectorAll("a")].map((link) => link.getAttribute("href"))).not.toContain(
    "javascript:alert(3)",
  );
  host.click(document.querySelector(".answer a"));
  await expect.poll(() => host.opened).toEqual(["https://example.com/duet"]);
  expect(document.querySelector(".stop")?.hasAttribute("hidden")).toBe(true);
  expect(agent.runs.findLatest("What is Duet?", {})?.outcome?.status).toBe("complete");
});

test("the run is shown while it goes on, and its stop button cancels it", async () => {
  const { agent, client, host } = await open({ decide: ["enough"], answer: [{ hang: true, text: "So far so good" }] });
  const result = ask(host, client, "Go on?");
  await host.shows((text) => text.includes("So far so good") && text.includes("Writing the answer…"));
  const button = host.document.querySelector(".stop");
  expect(button?.hasAttribute("hidden")).toBe(false);
  host.click(button);
  await host.shows((text) => text.includes("Cancelled"));
  await result;
  expect(agent.runs.findLatest("Go on?", {})?.outcome?.status).toBe("cancelled");
});

test("it speaks the host's language, changes with it, and takes over its look", async () => {
  const context: McpUiHostContext = { locale: "zh-CN", theme: "dark" };
  const { client, host } = await open({ decide: ["enough"], answer: ["好。"] }, context);
  await ask(host, client, "好吗？");
  await host.shows((text) => text.includes("已完成") && text.includes("费用"));
  expect(host.document.documentElement.getAttribute("lang")).toBe("zh-CN");
  expect(host.document.documentElement.getAttribute("data-theme")).toBe("dark");
  await host.bridge.sendHostContextChange({ locale: "en-GB" });
  await host.shows((text) => text.includes("Complete") && text.includes("Cost"));
});

test("where the host names no language, the browser's is spoken", async () => {
  const { host } = await open({ decide: [], answer: [] }, {}, "zh-TW");
  await host.shows((text) => text.includes("等待开始"));
});

test("a result without a run's shape is shown as the text it is", async () => {
  const { host } = await open({ decide: [], answer: [] });
  await host.bridge.sendToolInput({ arguments: { question: "Well?" } });
  await host.bridge.sendToolResult({ content: [{ type: "text", text: "No key is set." }], isError: true });
  await host.shows((text) => text.includes("Failed") && text.includes("No key is set."));
});

async function open(
  script: Script,
  context: McpUiHostContext = {},
  language = "en",
): Promise<{ agent: PagedAgent; client: Client; host: PageHost }> {
  const agent = pagedAgent(script);
  const client = await connect(agent.provider);
  const [page] = (await client.readResource({ uri: runPageUri })).contents;
  const html = page !== undefined && "text" in page ? page.text : "";
  return { agent, client, host: await showPage({ html, client, context, language }) };
}

/** As a host calls a tool that has a page: its input, then its result. */
async function ask(host: PageHost, client: Client, question: string): Promise<void> {
  await host.bridge.sendToolInput({ arguments: { question } });
  await host.bridge.sendToolResult(await client.callTool({ name: "agent_ask", arguments: { question } }));
}

function textsOf(document: PageDocument, selector: string): string[] {
  return [...document.querySelectorAll(selector)].map(({ textContent }) => textContent ?? "");
}
