import { loadConfig } from "../config/load-config.ts";
import { describeUnsetParts } from "../config/sources/unset-parts.ts";
import { toUser } from "../core/questions/user.ts";
import type { AgentEvent } from "../core/run/events.ts";
import type { Outcome } from "../core/run/outcome.ts";
import type { ConversationStore } from "../core/store/store.ts";
import type { Tool } from "../core/tools/tool.ts";
import { DuetError } from "../kit/errors.ts";
import { say, type Text } from "../kit/locale.ts";
import type { UserTool } from "../tools/user-tool.ts";
import { openOutputSchema } from "./ask/answer-form.ts";
import { type AskOptions, checkAsk } from "./ask/ask-options.ts";
import type { AskRequest } from "./ask/ask-request.ts";
import type { Duet } from "./duet.ts";
import { checkOptions, type DuetOptions } from "./duet-options.ts";
import { readModelOptions } from "./models/model-options.ts";
import { openDuet } from "./open-duet.ts";

/** Runs an agent inside your own program. */
export interface EmbeddedDuet extends AsyncDisposable {
  /**
   * Runs one question to its end and returns its outcome, even when the run fails. Rejects only when no run can begin: the
   * arguments are invalid, or the conversation to continue cannot be read.
   */
  ask(question: string, options?: AskOptions): Promise<Outcome>;
  /**
   * Runs one question like `ask`, and yields its events as they happen: `run-start` first, `run-end` with the outcome last.
   * Leaving the loop early cancels the run.
   */
  stream(question: string, options?: AskOptions): AsyncGenerator<AgentEvent, void, undefined>;
  /** Returns every tool the agent has now, after waiting for the servers to start. */
  tools(signal?: AbortSignal): Promise<Tool[]>;
  /** Returns the store of conversations and traces, to list, read or remove them. */
  store(): Promise<ConversationStore>;
  /** Stops every server, and closes the store unless the program brought its own. */
  close(): Promise<void>;
}

/**
 * Creates an agent. It reads API keys from the environment, as the command line does (`DEEPSEEK_API_KEY` ...). Throws a
 * `DuetError` with the code `config` whose message has a line for each fault: the invalid option, its value and what is allowed.
 */
export async function createDuet(options: DuetOptions = {}): Promise<EmbeddedDuet> {
  checkOptions(options);
  const { models, spec } = await readModelOptions(options.models);
  const inMemory = options.configFile === undefined ? { store: "memory" } : {};
  const settings = {
    ...options.config,
    conversations: { ...inMemory, ...options.config?.conversations },
    ...(spec ? { models: spec } : {}),
  };
  const config = await loadConfig({ config: options.configFile }, undefined, undefined, {
    name: "createDuet",
    settings,
  });
  const warn = (line: Text): void => process.emitWarning(say(config.locale, line));
  describeUnsetParts(config.unsetParts).forEach(warn);
  const duet = await openDuet(config, {
    models,
    tools: await readTools(options.tools ?? []),
    evaluator: options.evaluator,
    store: options.store,
    warn,
  });
  function stream(question: string, options: AskOptions = {}): AsyncGenerator<AgentEvent, void, undefined> {
    checkAsk(question, options);
    const { outputSchema, ...asked } = options;
    const request = {
      ...asked,
      mode: asked.mode ?? (asked.agent === undefined ? config.agent.mode : undefined),
      question,
      user: toUser(options),
    };
    return outputSchema === undefined ? duet.ask(request) : askForOutput(duet, request, outputSchema);
  }
  return {
    stream,
    async ask(question, asked) {
      for await (const event of stream(question, asked)) if (event.type === "run-end") return event.outcome;
      throw new DuetError({
        code: "internal",
        text: { zh: "运行没有结束事件", en: "the run ended without a run-end event" },
      });
    },
    tools: async (signal) => (await duet.inventory(signal)).tools,
    store: () => duet.store(),
    close: () => duet.close(),
    [Symbol.asyncDispose]: () => duet.close(),
  };
}

/** Rejects at the first event where the schema cannot be used. */
async function* askForOutput(
  duet: Duet,
  request: AskRequest,
  outputSchema: NonNullable<AskOptions["outputSchema"]>,
): AsyncGenerator<AgentEvent, void, undefined> {
  const place = { field: "ask: outputSchema", code: "config" } as const;
  const { toPlainJsonSchema } = await import("../tools/schema/tool-schema.ts");
  const answerForm = await openOutputSchema(await toPlainJsonSchema(outputSchema, place.field), place);
  yield* duet.ask({ ...request, answerForm });
}

async function readTools(userTools: readonly UserTool<never>[]): Promise<Tool[]> {
  if (userTools.length === 0) return [];
  const { toTool } = await import("../tools/user-tool.ts");
  const tools = await Promise.all(userTools.map((tool, index) => toTool(tool, `createDuet: tools[${index}]`)));
  const again = tools.findIndex(({ name }, index) => tools.findIndex((other) => other.name === name) < index);
  if (again >= 0) throw takenNameError(again, tools[again]?.name ?? "");
  return tools;
}

function takenNameError(index: number, name: string): DuetError {
  const place = `createDuet: tools[${index}]: name: ${JSON.stringify(name)}`;
  return new DuetError({
    code: "config",
    text: {
      zh: `${place} 已被占用（允许：未使用的名称）`,
      en: `${place} is already in use (allowed: an unused name)`,
    },
  });
}
