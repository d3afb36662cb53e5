import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, type ContextManager, context, ROOT_CONTEXT, trace } from "@opentelemetry/api";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import { afterEach, beforeEach, expect, onTestFinished, test } from "vitest";
import { openDuet } from "../../src/app/open-duet.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import type { Outcome } from "../../src/core/run/outcome.ts";
import { outcomeOf } from "../fakes/events.ts";
import { scriptedModel } from "../fakes/model.ts";
import { temporaryFolder } from "../fakes/program.ts";

const registry = Symbol.for("opentelemetry.js.api.1");
const exported = new InMemorySpanExporter();
const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: exported })] });

beforeEach(() => exported.reset());
afterEach(() => void Reflect.deleteProperty(globalThis, registry));

/** One question to an agent inside this process. */
async function ask(): Promise<Outcome> {
  const home = await temporaryFolder();
  const config = await loadConfig({}, { HOME: home, DUET_HOME: home, LANG: "en_US.UTF-8" }, home);
  const model = scriptedModel([[{ id: "1", name: "echo", input: { text: "x" } }], "Done."], "own");
  const duet = await openDuet(config, { models: { functionCall: model, alone: true } });
  onTestFinished(() => duet.close());
  return outcomeOf(await Array.fromAsync(duet.ask({ question: "Say x" })));
}

function tree(): string[] {
  const spans = exported.getFinishedSpans();
  const nameOf = (id: string | undefined) => spans.find((span) => span.spanContext().spanId === id)?.name ?? "";
  return spans.map(({ name, parentSpanContext }) => `${nameOf(parentSpanContext?.spanId)} > ${name}`);
}

test("a program that embeds Duet gets the spans with its own tracer, below whatever it is doing", async () => {
  trace.setGlobalTracerProvider(provider);
  context.setGlobalContextManager(trackContext());
  const outcome = await provider.getTracer("program").startActiveSpan("my work", async (span) => {
    const answered = await ask();
    span.end();
    return answered;
  });
  expect(tree()).toEqual([
    "invoke_agent duet > chat own",
    "invoke_agent duet > execute_tool echo",
    "invoke_agent duet > chat own",
    "my work > invoke_agent duet",
    " > my work",
  ]);
  for (const span of exported.getFinishedSpans()) expect(span.spanContext().traceId).toBe(outcome.trace_id);
});

test("what a program registered with an earlier copy of the API is found too", async () => {
  Reflect.set(globalThis, registry, { version: "1.4.1", trace: provider });
  const outcome = await ask();
  expect(tree().at(-1)).toBe(" > invoke_agent duet");
  expect(exported.getFinishedSpans().at(-1)?.spanContext().traceId).toBe(outcome.trace_id);
});

test("a tracer that throws costs no answer", async () => {
  let asked = 0;
  const broken = {
    getTracer() {
      asked++;
      throw new Error("no tracer today");
    },
  };
  Reflect.set(globalThis, registry, { version: "1.10.0", trace: broken });
  expect(await ask()).toMatchObject({
    status: "complete",
    response: "Done.",
    trace_id: expect.stringMatching(/^\w{32}$/),
  });
  expect(asked).toBe(1);
});

/** What a program uses that follows its own asynchronous calls. */
function trackContext(): ContextManager {
  const storage = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, work, self, ...args) => storage.run(active, () => work.call(self, ...args)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}
