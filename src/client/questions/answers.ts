import { basename } from "node:path";
import { pathToFileURL } from "node:url";
import type { ClientCapabilities } from "@modelcontextprotocol/client";
import type { ServerSettings } from "../../config/config.ts";
import type { Sample } from "../../core/model/sampling.ts";
import { pageType } from "../../core/tools/tool-pages.ts";
import type { Redact } from "../../kit/text/redact.ts";
import type { AnswerContext } from "./active-calls.ts";
import { answerElicitation } from "./elicitation.ts";
import { unknownMethodError } from "./request-refusal.ts";
import { createSampling } from "./sampling.ts";

/**
 * Returns the capabilities announced to a server. Elicitation is always announced: whether a user can be asked depends on the
 * caller, and a question that cannot be asked is refused at once.
 */
export function toClientCapabilities(
  settings: Pick<ServerSettings, "sampling" | "roots" | "hostRoots">,
  { canSample, passesOn }: { canSample: boolean; passesOn?: boolean | undefined },
): ClientCapabilities {
  return {
    elicitation: { form: {}, url: {} },
    ...(settings.sampling && canSample ? { sampling: {} } : {}),
    ...(settings.hostRoots && passesOn ? { roots: { listChanged: true } } : settings.roots ? { roots: {} } : {}),
    // Servers offer their pages only to a client that says that it shows them (MCP Apps).
    ...(passesOn ? { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [pageType] } } } : {}),
  };
}

export interface AnswerOptions {
  settings: Pick<ServerSettings, "name" | "sampling" | "roots" | "hostRoots">;
  /** Is undefined when none of our models serves sampling requests. */
  sample: Sample | undefined;
  redact: Redact;
  /** Returns the directories of the hosts; absent where there are none to tell of. */
  hostRoots?: (() => readonly HostRoot[]) | undefined;
}

/** Represents a directory of a host, as MCP's `roots/list` gives it. */
export interface HostRoot {
  uri: string;
  name?: string | undefined;
}

/** Returns true when a request of this method asks a person. */
export function isElicitation(method: string): boolean {
  return method === "elicitation/create";
}

/** Gives the result of a server's request; rejects with an error with JSON-RPC's `code`, or with the signal's reason. */
export type Answers = (method: string, params: unknown, context: AnswerContext) => Promise<Record<string, unknown>>;

/** Answers the questions of one server, of all its connections: it counts what it has had written. */
export function createAnswers({ settings, sample, redact, hostRoots }: AnswerOptions): Answers {
  const { roots } = settings;
  const asking = { from: settings.name, redact };
  const answerSampling = settings.sampling && sample ? createSampling(asking, sample) : undefined;
  return async (method, params, context) => {
    context.signal.throwIfAborted();
    if (isElicitation(method)) return answerElicitation(asking, params, context);
    if (method === "sampling/createMessage" && answerSampling) return answerSampling(params, context);
    if (method === "roots/list" && settings.hostRoots && hostRoots) return { roots: [...hostRoots()] };
    if (method === "roots/list" && roots) return listRoots(roots);
    throw unknownMethodError(`${JSON.stringify(method.slice(0, 100))} is not offered to this server`);
  };
}

/** Directories as MCP's `roots/list` gives them; the paths are absolute. */
export function listRoots(directories: readonly string[]): { roots: { uri: string; name: string }[] } {
  const roots = directories.map((path) => ({ uri: pathToFileURL(path).href, name: basename(path) || path }));
  return { roots };
}
