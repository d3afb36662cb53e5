import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import { parseHTML } from "linkedom";
import { expect, test } from "vitest";
import type { AgentsBill } from "../../../src/core/run/outcome.ts";
import type { RunView } from "../../../src/server/web/run/run-view.ts";

test("the bill says what called agents cost at least where a part of that is unknown", async () => {
  const show = await bundleBill();
  const agents = { runs: 2, total_tokens: 900, cost_usd: null };
  expect(show("en", { ...agents, known_cost_usd: 0.0125 })).toEqual(["2", "900", "at least $0.0125"]);
  expect(show("zh", { ...agents, known_cost_usd: 0.0125 })).toEqual(["2", "900", "至少 $0.0125"]);
  expect(show("en", agents)).toEqual(["2", "900", "unknown"]);
});

/** The page's own bill, bundled as the page has it, in a document without a browser; gives the values of its last card. */
async function bundleBill(): Promise<(locale: string, agents: AgentsBill) => (string | null)[]> {
  const { outputFiles } = await build({
    entryPoints: ["src/server/web/bill-part.ts"],
    bundle: true,
    write: false,
    format: "iife",
    globalName: "bill",
    platform: "browser",
    logLevel: "warning",
  });
  const { document } = parseHTML("<!doctype html><html><body></body></html>");
  interface Bill {
    element: { querySelectorAll(selector: string): Iterable<{ textContent: string | null }> };
    show(view: Pick<RunView, "bill" | "agents">): void;
  }
  const createBillPart = (_: string): Bill => {
    throw new Error("the bundle was not run");
  };
  const world = { document, bill: { createBillPart } };
  runInContext(`${outputFiles[0]?.text}; globalThis.bill = bill;`, createContext(world));
  return (locale, agents) => {
    const part = world.bill.createBillPart(locale);
    part.show({ bill: [], agents });
    return [...part.element.querySelectorAll("dd")].map(({ textContent }) => textContent);
  };
}
