import type { AvailableCommand } from "@agentclientprotocol/sdk";
import type { ModelChanges } from "../../app/models/change-models.ts";
import {
  type CommandFile,
  fillArguments,
  toModelChanges,
  untrustedCommandError,
} from "../../app/own-commands/command-file.ts";
import { findCommandFiles } from "../../app/own-commands/find-command-files.ts";
import { matchPromptArguments, readServerPrompt, toPromptQuestion } from "../../app/own-commands/server-prompts.ts";
import { isTrusted, readTrusted } from "../../config/trust/trusted-files.ts";
import type { Mode } from "../../core/run/outcome.ts";
import { ignoreRejection } from "../../kit/async/ignore-rejection.ts";
import { createTimeLimit, timeoutError } from "../../kit/async/timeout.ts";
import { sessionCommands } from "./commands.ts";
import type { Workspace } from "./workspace.ts";

/** Holds what is asked in place of a command, which is a person's own file or a prompt of an MCP server. */
export interface CommandQuestion {
  text: string;
  mode?: Mode | undefined;
  models?: ModelChanges | undefined;
  tools?: readonly string[] | undefined;
  /** Is true for text that a server has written, which nobody has seen yet. */
  isFromServer?: boolean;
}

/** Limits how long the servers are waited for before their prompts are offered, in milliseconds. */
const promptsMs = 30_000;

/** Lists the commands that are files. Those of a project that nobody has trusted are known, and not offered. */
async function findFiles({
  config,
  directory,
}: Workspace): Promise<{ offered: CommandFile[]; untrusted: CommandFile[] }> {
  const { commands } = await findCommandFiles(directory, config.environment);
  const trusted = await readTrusted(config.home, "commands");
  const taken = new Set(sessionCommands.map(({ name }) => name));
  const free = commands.filter(({ name }, index) => {
    const isFirst = commands.findIndex((other) => other.name === name) === index;
    return isFirst && !taken.has(name);
  });
  const isUsable = ({ isFromProject, file, text }: CommandFile): boolean =>
    !isFromProject || isTrusted(trusted, file, text);
  return { offered: free.filter(isUsable), untrusted: free.filter((command) => !isUsable(command)) };
}

/** Lists the commands that an editor offers beside Duet's own. Never rejects. */
export async function listFileCommands(workspace: Workspace): Promise<AvailableCommand[]> {
  const found = await ignoreRejection(findFiles(workspace), "its commands are then unknown");
  return (found?.offered ?? []).map(({ name, description, argumentHint }) =>
    toAvailable(name, description, argumentHint || "[ARGUMENTS]"),
  );
}

/** Lists the prompts of the servers, which are started for that. Never rejects. */
export async function listPromptCommands({ duet }: Workspace): Promise<AvailableCommand[]> {
  const limit = createTimeLimit(promptsMs, () => timeoutError("prompts", promptsMs));
  const prompts = await ignoreRejection(
    duet.gateway().prompts(limit.signal),
    "a question reports what is wrong with servers",
  );
  limit.clear();
  return (prompts ?? [])
    .map(readServerPrompt)
    .map(({ name, description, hint }) => toAvailable(name, description, hint));
}

function toAvailable(name: string, description: string, hint: string): AvailableCommand {
  return { name, description, ...(hint !== "" && { input: { hint } }) };
}

/**
 * Returns the question of a command that is a file or a server's prompt, and undefined for any other text. Throws a `DuetError` for a
 * file that is not trusted, and for arguments that do not fit.
 */
export async function findCommandQuestion(
  workspace: Workspace,
  text: string,
  signal: AbortSignal,
): Promise<CommandQuestion | undefined> {
  const [, typed, argument = ""] = /^\/([\p{L}\p{N}][\p{L}\p{N}_.:-]*)(?:\s+([\s\S]*))?$/u.exec(text.trim()) ?? [];
  if (typed === undefined) return undefined;
  const { offered, untrusted } = await findFiles(workspace);
  const isNamed = ({ name }: { name: string }): boolean => name === typed.toLowerCase();
  const command = offered.find(isNamed);
  if (command !== undefined) {
    const { body, mode, tools } = command;
    return { text: fillArguments(body, argument), mode, tools, models: toModelChanges(command) };
  }
  const other = untrusted.find(isNamed);
  if (other !== undefined) throw untrustedCommandError(other.name, other.file);
  // Only a name with `__` can be that of a server's prompt.
  if (!typed.includes("__")) return undefined;
  const gateway = workspace.duet.gateway();
  const prompts = (await gateway.prompts(signal)).map(readServerPrompt);
  const prompt = prompts.find(({ name }) => name === typed);
  if (prompt === undefined) return undefined;
  const { name, known } = prompt;
  const args = matchPromptArguments(argument, known, name);
  const given = await gateway.getPrompt(name, args, { signal, onProgress: () => {} });
  return { text: toPromptQuestion(name, given?.messages), isFromServer: true };
}
