import { stat } from "node:fs/promises";
import type { Models } from "../../agent/run.ts";
import { configError } from "../../config/config-errors.ts";
import { type Model, toModelName } from "../../core/model/model.ts";
import type { Tool } from "../../core/tools/tool.ts";
import type { ToolOrigin } from "../../core/tools/tool-interceptor.ts";
import type { JsonObject } from "../../kit/json.ts";
import { type Redact, redactValue } from "../../kit/text/redact.ts";
import { openLineFile } from "../append-lines.ts";
import type { AttemptTimes } from "../times.ts";
import { toRecordedTool } from "./intercept-tools.ts";
import { packTools, readRecording } from "./read-recording.ts";
import {
  type Exchange,
  type RecordedModel,
  type RecordedModels,
  recordingFormat,
  recordingVersion,
} from "./recording-schema.ts";

/** Writes what the attempts of an evaluation ask and get, an attempt at a time, without the known secrets. */
export interface RecordingWriter {
  /** Is when the recording was begun (ISO 8601, UTC). */
  readonly madeAt: string;
  addTool(tool: Tool, origin: ToolOrigin): void;
  addModels(models: RecordedModels): void;
  /** Resolves when the attempt is on the disk. */
  addAttempt(name: string, exchanges: readonly Exchange[], times: AttemptTimes): Promise<void>;
}

/** Opens a recording for writing. Throws a `config` error for a file that is there already, unless the evaluation goes on. */
export async function openRecordingWriter(
  file: string,
  { redact, goesOn }: { redact: Redact; goesOn: boolean },
): Promise<RecordingWriter> {
  const isNew = await stat(file).then(
    ({ size }) => size === 0,
    () => true,
  );
  if (!isNew && !goesOn) throw existingFileError(file);
  const madeAt = isNew ? new Date().toISOString() : (await readRecording(file)).madeAt;
  const lines = await openLineFile(file);
  const seen = new Set<string>();
  let waiting: object[] = isNew ? [{ format: recordingFormat, version: recordingVersion, made_at: madeAt }] : [];

  function addOnce(key: string, line: object): void {
    if (seen.has(key)) return;
    seen.add(key);
    waiting.push(line);
  }

  return {
    madeAt,
    addTool(tool, origin) {
      if (!seen.has(`tool ${tool.name}`)) addOnce(`tool ${tool.name}`, { tool: toRecordedTool(tool, origin) });
    },
    addModels: (models) => addOnce(`models ${models.pair}`, { models }),
    async addAttempt(name, exchanges, times) {
      const packed = exchanges.map((exchange) => {
        if (exchange.kind !== "model") return exchange;
        const define = (id: string, value: JsonObject): void =>
          addOnce(`definition ${id}`, { definition: { id, value } });
        return { ...exchange, request: packTools(exchange.request, define) };
      });
      const added = [...waiting, { attempt: { name, exchanges: packed, times } }];
      waiting = [];
      await lines.append(redactValue(added, redact));
    },
  };
}

function existingFileError(file: string) {
  return configError(`--record: ${file}`, {
    zh: "文件已存在（允许：新文件，或用 --resume 继续）",
    en: "is there already (allowed: a new file, or --resume to go on)",
  });
}

/** Describes the models of a pair for a recording. */
export function describeModels(
  pair: string,
  { functionCall, answer, fallbacks }: Models,
  judge: Model | undefined,
): RecordedModels {
  return {
    pair,
    functionCall: describeModel(functionCall),
    ...(answer !== functionCall && { answer: describeModel(answer) }),
    ...(fallbacks && {
      fallbacks: {
        functionCall: fallbacks.functionCall.map(describeModel),
        answer: fallbacks.answer.map(describeModel),
      },
    }),
    ...(judge && { judge: describeModel(judge) }),
  };
}

function describeModel(model: Model): RecordedModel {
  const { provider, contextWindow, maxTokens, outputAllowance, capabilities, followsPrompts } = model;
  return {
    ...{ provider, model: model.model },
    ...(contextWindow !== undefined && { contextWindow }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(outputAllowance !== undefined && { outputAllowance }),
    ...(capabilities !== undefined && { capabilities }),
    ...(followsPrompts !== undefined && { followsPrompts }),
  };
}

/** Returns the models of a recording as `createModel` makes them; one model in both roles is one object. */
export function createRecordedModels(
  { functionCall, answer, fallbacks }: RecordedModels,
  createModel: (recorded: RecordedModel) => Model,
): Models {
  const made = new Map<string, Model>();
  const make = (recorded: RecordedModel, role: string): Model => {
    const key = `${role} ${toModelName(recorded)}`;
    const model = made.get(key) ?? createModel(recorded);
    made.set(key, model);
    return model;
  };
  const decider = make(functionCall, "functionCall");
  return {
    functionCall: decider,
    answer: answer === undefined ? decider : make(answer, "answer"),
    ...(fallbacks && {
      fallbacks: {
        functionCall: fallbacks.functionCall.map((one) => make(one, "functionCall")),
        answer: fallbacks.answer.map((one) => make(one, "answer")),
      },
    }),
  };
}
