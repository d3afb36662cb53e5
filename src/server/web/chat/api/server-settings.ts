import { longestAttachedFile, longestAttachments, mostAttachments } from "../../../../core/attachment.ts";
import { type OfferedName, offeredLimits } from "../../../../core/limits/limits.ts";
import type { Mode } from "../../../../core/run/outcome.ts";
import { isRecord, toText } from "../../../../kit/json.ts";
import { modes } from "../../../../render/mode-names.ts";

/** Names one of the two models by its task. */
export type ModelKey = "function_call" | "answer";

export const roles: readonly ModelKey[] = ["function_call", "answer"];

export type ParameterName = "temperature" | "top_p" | "max_tokens";

export const parameterNames: readonly ParameterName[] = ["temperature", "top_p", "max_tokens"];

/** Holds parameters of a model. Those that are absent have the server's value. */
export type Parameters = Readonly<Partial<Record<ParameterName, number>>>;

export interface ServerSettings {
  /** Is the mode in which a chat starts. */
  readonly mode: Mode;
  readonly models: Readonly<Record<ModelKey, string>>;
  /** Names the agents that may answer instead of the main one. */
  readonly agents: readonly string[];
  /** Lists the available models as `provider/model`. */
  readonly choices: readonly string[];
  readonly parameters: Readonly<Record<ModelKey, Parameters>>;
  readonly search: { readonly available: boolean; readonly enabled: boolean; readonly reason: SearchReason };
  /** Is true where a switch of the mode or a model carries the history over. */
  readonly keepsHistory: boolean;
  readonly limits: Readonly<Partial<Record<LimitName, number>>>;
  readonly attachments: AttachmentLimits;
  /** Is true where whoever asks may see the operator's view. */
  readonly isOperator: boolean;
  /** Is how long a deleted conversation can be restored, in milliseconds. */
  readonly undoMs: number;
}

/** Limits the files that come with one question. */
export interface AttachmentLimits {
  readonly maxFiles: number;
  /** Counts the bytes of one of them. */
  readonly maxFileBytes: number;
  /** Counts the bytes of all of them together. */
  readonly maxBytes: number;
}

/** Holds the limits of a server that has not named its own. */
export const widestAttachments: AttachmentLimits = {
  maxFiles: mostAttachments,
  maxFileBytes: longestAttachedFile,
  maxBytes: longestAttachments,
};

/** States why web search is unavailable. */
export type SearchReason = "off" | "no_service" | "not_permitted";

const searchReasons: readonly SearchReason[] = ["off", "no_service", "not_permitted"];

/** Lists the limits that the page shows: those of a run that the server tells. */
export const shownLimits = offeredLimits.filter(({ scope }) => scope === "run");

export type LimitName = OfferedName;

/** Is how long a deleted conversation can be restored where the server has not said it, in milliseconds. */
export const usualUndoMs = 30_000;

/** Reads untrusted settings. Missing ones are read as if there were nothing to choose. */
export function readSettings(value: unknown): ServerSettings {
  const { start_mode, models, agents, choices, parameters, search, limits, keep_history, attachments, ...more } =
    isRecord(value) ? value : {};
  const { operator, undo_s } = more;
  const { max_files, max_file_bytes, max_bytes } = isRecord(attachments) ? attachments : {};
  const { available, enabled, reason: told } = isRecord(search) ? search : {};
  const reason = searchReasons.find((known) => known === told) ?? "off";
  return {
    mode: modes.find((known) => known === start_mode) ?? "chat",
    models: readRoles(models, toText),
    agents: Array.isArray(agents) ? agents.map(({ name }) => toText(name)) : [],
    choices: Array.isArray(choices) ? choices.filter((name) => typeof name === "string") : [],
    parameters: readRoles(parameters, (own) => readNumbers(own, parameterNames)),
    search: { available: available === true, enabled: enabled === true, reason },
    keepsHistory: keep_history === true,
    isOperator: operator === true,
    limits: readNumbers(
      limits,
      shownLimits.map(({ ask }) => ask),
    ),
    undoMs: typeof undo_s === "number" ? undo_s * 1000 : usualUndoMs,
    attachments: {
      maxFiles: typeof max_files === "number" ? max_files : widestAttachments.maxFiles,
      maxFileBytes: typeof max_file_bytes === "number" ? max_file_bytes : widestAttachments.maxFileBytes,
      maxBytes: typeof max_bytes === "number" ? max_bytes : widestAttachments.maxBytes,
    },
  };
}

export function readRoles<T>(value: unknown, read: (value: unknown) => T): Record<ModelKey, T> {
  const { function_call, answer } = isRecord(value) ? value : {};
  return { function_call: read(function_call), answer: read(answer) };
}

/** Returns the entries among these names whose values are numbers. */
export function readNumbers<Name extends string>(
  value: unknown,
  names: readonly Name[],
): Readonly<Partial<Record<Name, number>>> {
  const numbers: Partial<Record<Name, number>> = {};
  for (const name of names) {
    const number = isRecord(value) ? value[name] : undefined;
    if (typeof number === "number") numbers[name] = number;
  }
  return numbers;
}
