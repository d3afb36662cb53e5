import type { input } from "zod";
import type { Evaluator } from "../agent/evaluator.ts";
import type { ConversationStore } from "../agent/store.ts";
import { type AskRequest, openDuet } from "../app.ts";
import { readModelFlag } from "../config/model-text.ts";
import type { fileSchema } from "../config/schema.ts";
import { loadConfig } from "../config.ts";
import { DuetError } from "../core/errors.ts";
import type { AgentEvent } from "../core/events.ts";
import { say } from "../core/locale.ts";
import type { Model } from "../core/model.ts";
import type { Outcome } from "../core/outcome.ts";
import type { Tool } from "../core/tool.ts";
import type { OwnModels } from "./models.ts";

type FileSettings = input<typeof fileSchema>;

/** A model by its name (`deepseek/deepseek-chat`), with its parameters, or one of your own making. */
export type ModelOption = string | NonNullable<NonNullable<FileSettings["models"]>["functionCall"]> | Model;

/** What an embedding program sets; everything has a default. */
export interface DuetOptions {
  /** The two roles; `answer` is `functionCall` when absent, which then answers without a second call. */
  models?: { functionCall: ModelOption; answer?: ModelOption };
  /** Tools beside the built-in ones and those of the MCP servers; one with a built-in's name takes its place. */
  tools?: readonly OwnToolOption[];
  /** Your own rule for after each round of tool calls. */
  evaluator?: Evaluator;
  /** Everything else, in the shape of the configuration file; conversations stay in memory unless it says `disk`. */
  config?: Omit<FileSettings, "models" | "$schema">;
  /** A configuration file, read below `config`. None is looked for when absent. */
  configFile?: string;
  /** Where conversations are kept, in place of what the configuration says. */
  store?: ConversationStore;
}

/** A tool as `defineTool` gives it; checked when Duet is created. */
export type OwnToolOption = { name: string; description: string };

export type AskOptions = Omit<AskRequest, "question">;

/** An agent in your own program. */
export interface EmbeddedDuet extends AsyncDisposable {
  /** Runs one question to its end. Rejects only for arguments that no run can begin with; a failed run is an outcome. */
  ask(question: string, options?: AskOptions): Promise<Outcome>;
  /** The same as it happens: `run-start` first, `run-end` with the outcome last. Leaving the loop early cancels the run. */
  stream(question: string, options?: AskOptions): AsyncGenerator<AgentEvent, void, undefined>;
  /** Every tool the agent has now; waits for the servers to start. */
  tools(signal?: AbortSignal): Promise<Tool[]>;
  /** Conversations and traces. */
  store(): Promise<ConversationStore>;
  /** Stops every server and closes the store. */
  close(): Promise<void>;
}

/**
 * Makes an agent. Keys come from the environment as on the command line (`DEEPSEEK_API_KEY` ...). Throws a `DuetError`
 * of code `config`, one line that names the option, the value and what is allowed.
 */
export async function createDuet(options: DuetOptions = {}): Promise<EmbeddedDuet> {
  const { models, spec } = await readModelOptions(options.models);
  const settings = {
    ...(options.configFile === undefined ? { conversations: { store: "memory" } } : {}),
    ...options.config,
    ...(spec ? { models: spec } : {}),
  };
  const config = await loadConfig({ config: options.configFile }, undefined, undefined, {
    name: "createDuet",
    settings,
  });
  const duet = await openDuet(config, {
    models,
    tools: await readTools(options.tools ?? []),
    evaluator: options.evaluator,
    store: options.store,
    warn: (text) => process.emitWarning(say(config.locale, text)),
  });
  const stream = (question: string, asked: AskOptions = {}): AsyncGenerator<AgentEvent, void, undefined> =>
    duet.ask({ ...asked, question: readQuestion(question) });
  return {
    stream,
    async ask(question, asked) {
      for await (const event of stream(question, asked)) if (event.type === "run-end") return event.outcome;
      throw new DuetError({ code: "internal", text: { zh: "运行没有结束事件", en: "the run ended without run-end" } });
    },
    tools: async (signal) => (await duet.inventory(signal)).tools,
    store: duet.store,
    close: duet.close,
    [Symbol.asyncDispose]: duet.close,
  };
}

/** Models by name go into the configuration, those of the program's own making past it. */
async function readModelOptions(given: DuetOptions["models"]): Promise<{ models: OwnModels; spec: unknown }> {
  if (given === undefined) return { models: {}, spec: undefined };
  const [functionCall, answer] = await Promise.all([
    readModelOption(given.functionCall, "functionCall"),
    readModelOption(given.answer, "answer"),
  ]);
  // A model of one's own stands beside one by name: the name then needs a partner that is never called.
  const first = functionCall.spec ?? (answer.spec === undefined ? undefined : { provider: "offline" });
  return {
    models: { functionCall: functionCall.model, answer: answer.model, alone: given.answer === undefined },
    spec: first === undefined ? undefined : { functionCall: first, answer: answer.spec },
  };
}

interface ReadOption {
  model?: Model;
  spec?: unknown;
}

async function readModelOption(given: ModelOption | undefined, role: string): Promise<ReadOption> {
  if (given === undefined) return {};

  if (typeof given === "string") return { spec: await readModelFlag(given, `createDuet: models.${role}`, []) };
  return isModel(given) ? { model: given } : { spec: given };
}

function isModel(given: object): given is Model {
  return "stream" in given && typeof given.stream === "function";
}

async function readTools(own: readonly OwnToolOption[]): Promise<Tool[]> {
  if (own.length === 0) return [];
  const { toTool } = await import("../tools/own.ts");
  const tools = await Promise.all(own.map((tool, index) => toTool(tool, `createDuet: tools[${index}]`)));
  const again = tools.findIndex(({ name }, index) => tools.findIndex((other) => other.name === name) < index);
  if (again >= 0) throw taken(again, tools[again]?.name ?? "");
  return tools;
}

function taken(index: number, name: string): DuetError {
  const place = `createDuet: tools[${index}]: name: ${JSON.stringify(name)}`;
  return new DuetError({
    code: "config",
    text: {
      zh: `${place} 已被占用（允许：未使用的名称）`,
      en: `${place} is taken (allowed: a name that is not in use)`,
    },
  });
}

function readQuestion(question: unknown): string {
  if (typeof question === "string" && question.trim() !== "") return question;
  const shown = typeof question === "string" ? JSON.stringify(question) : String(question);
  throw new DuetError({
    code: "config",
    text: {
      zh: `问题是 ${shown}（允许：非空文本）`,
      en: `the question is ${shown} (allowed: a text that is not empty)`,
    },
  });
}
