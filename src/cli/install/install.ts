import { dirname, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { Config } from "../../config/config.ts";
import { listSearchedPaths } from "../../config/sources/find-file.ts";
import { listActiveVariables } from "../../config/sources/used-variables.ts";
import { listRecommendations, writeUsersStarterFile } from "../../config/starter-file.ts";
import { DuetError, getMessage } from "../../kit/errors.ts";
import { isRecord } from "../../kit/json.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import { findAgentHost } from "./agent-host.ts";
import { editServers, readServers, toPlainObject } from "./edit-servers.ts";
import { createDiff } from "./files/diff.ts";
import { createEntry, type Entry, usualFields, type WantedEntry } from "./files/file-format.ts";
import { chooseFile, readHostFile, writeHostFile } from "./files/host-file.ts";
import { type Host, type HostName, hosts } from "./hosts.ts";
import { isFetched, type Program, toLaunch } from "./launch.ts";
import type { Machine } from "./machine.ts";

export interface InstallCommand {
  host: HostName;
  /** Names the server in the host's file. */
  name: string;
  isProject: boolean;
  /** Is true when the host is to start Duet as its agent, not as a server of tools. */
  isAgent?: boolean;
  isRemoval: boolean;
  isDryRun: boolean;
  /** Is true when the confirmation was given on the command line. */
  yes: boolean;
  /** Is true when the values of variables are written to the file. */
  withValues: boolean;
  /** Holds further arguments for `duet serve` or `duet acp`. */
  words: readonly string[];
  machine: Machine;
  program: Program;
  /** Holds the configuration in force; a removal does not need it. */
  config: Config | undefined;
  locale: Locale;
  now: Date;
  /** Takes whole lines, for stdout. */
  write(text: string): void;
  /** Asks a person; absent where nobody can be asked. */
  confirm?: (query: string, locale: Locale) => Promise<boolean>;
}

/**
 * Shows what is to become of the host's file, asks, keeps a copy of it and writes. 0 when it is as it should be, or was only
 * to be shown; 1 when somebody has said no. Throws a `config` error for what cannot be asked for, another one where the
 * file cannot be used: then it is as it was.
 */
export async function runInstall(command: InstallCommand): Promise<number> {
  const { name, machine, isProject, isAgent, isRemoval, isDryRun, write } = command;
  const host = isAgent ? findAgentHost(command.host) : hosts[command.host];
  const writeText = (text: Text): void => write(`${sanitizeLine(say(command.locale, text))}\n`);
  if (isProject && command.withValues) throw usageError(keysInProject);
  if (isProject && isAgent) throw usageError(agentInProject);
  const { file, isHostThere } = await chooseFile(host, machine, isProject);
  const wanted = await createWantedEntry(command);
  const plan = (text: string | undefined): Plan => planChange(host, file, text ?? "", name, wanted);

  const shown = plan((await readHostFile(file)).text);
  if (shown.shown === "") {
    writeText(isRemoval ? describeNotFound(name, file) : describeUnchanged(name, file));
    return 0;
  }
  write(shown.shown);
  if (!isHostThere) writeText(describeMissingHost(host.title));
  for (const note of listNotes(command, wanted, shown.entry)) writeText(note);
  if (isDryRun) return 0;
  if (!command.yes && command.confirm === undefined) throw usageError(needsYes);
  if (!command.yes && !(await command.confirm?.(say(command.locale, renderQuestion(file)), command.locale))) {
    writeText(declined);
    return 1;
  }
  // The host may have written it while somebody was thinking.
  const current = await readHostFile(file);
  const { text } = plan(current.text);
  const backup = await writeHostFile({ path: current.path, text, now: command.now, isPrivate: hasValues(wanted) });
  writeText(describeWritten(file, backup));
  const started = findMissingConfig(command);
  if (started !== undefined) writeText(await writeConfig(started, command.locale));
  writeText(isRemoval ? describeRemoved(host.title, name) : host.next);
  return 0;
}

/** Returns what Duet's entry has to contain, or undefined when the entry is removed. */
async function createWantedEntry(command: InstallCommand): Promise<WantedEntry | undefined> {
  const { config, program, words, machine, withValues, isAgent } = command;
  if (command.isRemoval || config === undefined) return undefined;
  const file = config.file ?? findMissingConfig(command);
  const named = file === undefined ? [] : ["--config", resolve(machine.directory, file)];
  const variables = await listActiveVariables(config);
  return {
    launch: toLaunch(program, [...named, ...words], isAgent ? "acp" : "serve"),
    values: withValues ? variables : {},
    names: withValues ? [] : Object.keys(variables),
  };
}

/** Returns the `.env` that is read with the configuration in force. One in the folder of this shell is not read by a host. */
function findEnvFile({ config, machine }: InstallCommand): string | undefined {
  return config?.file && resolve(machine.directory, dirname(config.file), ".env");
}

/** Returns where a configuration file is written when there is none: with the defaults alone, many questions end early. */
function findMissingConfig({ config, machine, isProject, isRemoval }: InstallCommand): string | undefined {
  if (isRemoval || isProject || config === undefined || config.file !== undefined) return undefined;
  const [, users] = listSearchedPaths({ HOME: machine.home, ...machine.environment }, machine.directory);
  return users;
}

/** Writes the configuration file, and returns what became of it. The host's entry works without it too. */
async function writeConfig(file: string, locale: Locale): Promise<Text> {
  try {
    await writeUsersStarterFile(file, locale);
    return { zh: `已写入 ${file}。`, en: `Wrote ${file}.` };
  } catch (thrown) {
    const reason = getMessage(thrown);
    return { zh: `未能写入 ${file}：${reason}`, en: `${file} could not be written: ${reason}` };
  }
}

function describeMissingConfig(file: string): Text {
  const limits = listRecommendations();
  return {
    zh: `还没有配置文件：将写入 ${file}，其中写明建议的取值（${limits.join("、")}）和原因。`,
    en: `There is no configuration file: ${file} will be written with recommended values (${limits.join(", ")}) and the reasons.`,
  };
}

/** Returns the notes to show with the change, given the entry as it will be. */
function listNotes(command: InstallCommand, wanted: WantedEntry | undefined, entry: Entry | undefined): Text[] {
  const { config, machine } = command;
  const { title, variables, fields = usualFields } = hosts[command.host];
  if (wanted === undefined || config === undefined) return [];
  const written = entry?.[fields.env];
  const env = isRecord(written) ? written : {};
  const missing = variables === "few" ? wanted.names.filter((name) => !Object.hasOwn(env, name)) : [];
  const started = findMissingConfig(command);
  return [
    ...(started === undefined ? [] : [describeMissingConfig(started)]),
    ...(isFetched(command.program) ? [fetched] : []),
    ...(missing.length > 0 ? [describeMissingVariables(title, missing, findEnvFile(command))] : []),
    // Windows knows no such modes.
    ...(hasValues(wanted) && machine.platform !== "win32" ? [valuesInClear] : []),
    ...(command.isProject ? [pathsInProject] : []),
  ];
}

function hasValues(wanted: WantedEntry | undefined): boolean {
  return Object.keys(wanted?.values ?? {}).length > 0;
}

function usageError(text: Text): DuetError {
  return new DuetError({ code: "config", text });
}

interface Plan {
  /** Equals the old text when there is nothing to do. */
  text: string;
  /** Holds the change in a form that is safe to show. */
  shown: string;
  /** Holds the server's entry after the change; undefined when it is removed. */
  entry: Entry | undefined;
}

/**
 * Plans the file with the server of that name as wanted, or without it when `wanted` is undefined. Writes nothing. Throws a
 * one-line error when the text cannot be read, or cannot be changed without touching anything else.
 */
export function planChange(
  host: Host,
  file: string,
  before: string,
  name: string,
  wanted: WantedEntry | undefined,
): Plan {
  const servers = readServers(host, file, before);
  const there = Object.hasOwn(servers, name) ? servers[name] : undefined;
  const entry = wanted && createEntry(host, name, wanted, there);
  if (isDeepStrictEqual(toPlainObject(there), toPlainObject(entry))) return { text: before, shown: "", entry };
  const text = editServers(host, file, before, { name, there, entry });
  return { text, shown: createDiff(file, before, text, [servers, readServers(host, file, text)]), entry };
}

export const renderQuestion = (file: string): Text => ({ zh: `写入 ${file}？[y/n] `, en: `Write ${file}? [y/n] ` });

export const declined: Text = { zh: "未做修改。", en: "Nothing was changed." };

export const needsYes: Text = {
  zh: "没有可供询问的终端，未做修改：请加 --yes，或用 --dry-run 只查看改动",
  en: "nothing was changed, because there is no terminal to ask in: add --yes, or --dry-run to only show the change",
};

export const describeUnchanged = (name: string, file: string): Text => ({
  zh: `${file} 中已有 ${name}，无需修改。`,
  en: `${name} is already in ${file}: nothing to change.`,
});

export const describeNotFound = (name: string, file: string): Text => ({
  zh: `${file} 中没有 ${name}，无需修改。`,
  en: `${name} is not in ${file}: nothing to change.`,
});

export const describeWritten = (file: string, backup: string | undefined): Text => ({
  zh: `已写入 ${file}${backup === undefined ? "" : `；原文件备份为 ${backup}`}。`,
  en: `Wrote ${file}${backup === undefined ? "" : `; the previous file is kept as ${backup}`}.`,
});

/** Says what is left to do after a removal. */
export const describeRemoved = (title: string, name: string): Text => ({
  zh: `请完全退出 ${title} 再启动：在此之前它可能仍在运行 ${name}。`,
  en: `Quit ${title} and start it again: until then it may still run ${name}.`,
});

export const valuesInClear: Text = {
  zh: "变量的值会以明文写入：该文件和它的备份只有所有者可读（权限 0600）。",
  en: "The values are written in plain text: only the owner can read the file and its backup (mode 0600).",
};

export const describeMissingHost = (title: string): Text => ({
  zh: `这台机器上没有 ${title} 的文件夹：它安装了吗？`,
  en: `${title} has no folder on this machine: is it installed?`,
});

/**
 * Lists variables that are set only in this shell's environment; a program started from a menu does not see them. `envFile` is the
 * file with variables that the entry leads to.
 */
export function describeMissingVariables(title: string, names: readonly string[], envFile: string | undefined): Text {
  const list = names.join(", ");
  const zh = envFile === undefined ? "" : `请写入 ${envFile}，或`;
  const en = envFile === undefined ? "Let" : `Put the values into ${envFile}, or let`;
  return {
    zh: `${title} 多半看不到只在这个终端里的变量：${list}。${zh}用 --with-env 把值写进条目。`,
    en: `${title} will probably not see variables that only this shell has: ${list}. ${en} --with-env write them into the entry.`,
  };
}

export const fetched: Text = {
  zh: "这是 npx 临时下载的：宿主每次启动都会再运行 npx。npm install -g duet-mcp 之后再执行一次会更快。",
  en: "npx downloaded Duet for this run only, so the host will run npx each time. For a faster start, run npm install -g duet-mcp, then this command again.",
};

export const pathsInProject: Text = {
  zh: "项目文件往往会提交：其中的路径只适用于这台机器。",
  en: "Project files are often committed: the paths in this one are valid on this machine only.",
};

export const keysInProject: Text = {
  zh: "--with-env 不能与 --project 一起用：项目文件往往会提交，密钥会随之公开",
  en: "--with-env is not allowed with --project: project files are often committed, and the keys with them",
};

export const agentInProject: Text = {
  zh: "--agent 不能与 --project 一起用：智能体写在用户的设置里",
  en: "--agent is not allowed with --project: agents belong into the user's settings",
};
