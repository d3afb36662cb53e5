import { expect, test } from "vitest";
import { toDuetError } from "../../../src/kit/errors.ts";
import { createAgentResources } from "../../../src/server/mcp/agent/resources.ts";
import { createFaultLog } from "../../../src/server/operations/log-runs.ts";
import { outcomeIn, serveApi } from "./served-api.ts";

const cause = "ENOENT: no such file, open '/home/anna/duet/dist/part.js'";

test("a fault of the program is told without its cause, which the operator finds in the trace and the log", async () => {
  const served = await serveApi({ turns: [{ error: toDuetError(new Error(cause)) }] });
  const { chat, stream, follow, restart, service } = served;
  const outcome = await outcomeIn(chat({ message: "Hello" }));
  const { run_id, trace_id, error } = outcome;
  expect(outcome).toMatchObject({ status: "failed", error: { code: "internal" } });
  expect(error?.message).toBe(`Internal server error (trace_id ${trace_id}).`);
  expect((await (await follow(run_id)).rest()).at(-1)?.data).toMatchObject({ outcome: { error } });
  const later = await restart();
  expect(await outcomeIn(later.send(`/agent/runs/${run_id}`))).toMatchObject({ error });
  const all = await Promise.all([(await follow(run_id)).rest(), (await stream({ message: "Hello" })).rest()]);
  const resources = createAgentResources({
    ...{ duet: service.duet, runs: service.runs, caller: {}, locale: "en" },
    knownRuns: new Set(),
  });
  const read = await resources.read(`duet://runs/${run_id}`);
  expect(JSON.stringify(read)).toContain(error?.message);
  expect(JSON.stringify([all, read])).not.toContain("/home/anna");

  const run = service.runs.find(run_id, {});
  const lines: string[] = [];
  if (run) createFaultLog((line) => void lines.push(line), "en")(run);
  expect(lines).toEqual([`internal error in the run ${run_id}, trace_id ${trace_id}: ${cause}`]);
  const store = await service.duet.store({});
  expect(await store.trace(run_id)).toMatchObject({ error: { message: cause } });
});
