import { resolve } from "node:path";
import type { Config } from "../../config/load-config.ts";
import { listActiveVariables } from "../../config/sources/active-variables.ts";
import { DuetError } from "../../kit/errors.ts";
import { isRecord } from "../../kit/json.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";
import { sanitizeLine } from "../../kit/text/sanitize.ts";
import type { Entry, WantedEntry } from "./entry.ts";
import { chooseFile } from "./files/choose-file.ts";
import { readHostFile, writeHostFile } from "./files/host-file.ts";
import { type HostName, hosts } from "./hosts.ts";
import * as texts from "./install-texts.ts";
import { isFetched, type Program, toLaunch } from "./launch.ts";
import type { Machine } from "./machine.ts";
import { type Plan, planChange } from "./plan-change.ts";

/** `duet install HOST` and all that it may be told. */
export interface InstallCommand {
  host: HostName;
  /** Of the server in the host's file. */
  name: string;
  isProject: boolean;
  isRemoval: boolean;
  /** Whether the change is only shown. */
  isDryRun: boolean;
  /** Whether the answer was given on the command line. */
  yes: boolean;
  /** Whether the values of variables are written down. */
  withValues: boolean;
  /** Further words for `duet serve`. */
  words: readonly string[];
  machine: Machine;
  program: Program;
  /** The configuration in force; not needed for a removal. */
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
  const { name, machine, isProject, isRemoval, isDryRun, write } = command;
  const host = hosts[command.host];
  const tell = (text: Text): void => write(`${sanitizeLine(say(command.locale, text))}\n`);
  if (isProject && command.withValues) throw usage(texts.keysInProject);
  const { file, isHostThere } = await chooseFile(host, machine, isProject);
  const wanted = await wantedOf(command);
  const plan = (text: string | undefined): Plan => planChange(host, file, text ?? "", name, wanted);

  const shown = plan((await readHostFile(file)).text);
  if (shown.shown === "") {
    tell(isRemoval ? texts.notThere(name, file) : texts.alreadyThere(name, file));
    return 0;
  }
  write(shown.shown);
  if (!isHostThere) tell(texts.hostMissing(host.title));
  for (const note of notesOf(command, wanted, shown.entry)) tell(note);
  if (isDryRun) return 0;
  if (!command.yes && command.confirm === undefined) throw usage(texts.needsYes);
  if (!command.yes && !(await command.confirm?.(say(command.locale, texts.question(file)), command.locale))) {
    tell(texts.declined);
    return 1;
  }
  // The host may have written it while somebody was thinking.
  const current = await readHostFile(file);
  const { text } = plan(current.text);
  const backup = await writeHostFile({ path: current.path, text, now: command.now, isPrivate: hasValues(wanted) });
  tell(texts.written(file, backup));
  tell(isRemoval ? texts.removed(host.title, name) : host.next);
  return 0;
}

/** What Duet's entry has to say; undefined where the entry goes. */
async function wantedOf(command: InstallCommand): Promise<WantedEntry | undefined> {
  const { config, program, words, machine, withValues } = command;
  if (command.isRemoval || config === undefined) return undefined;
  const named = config.file === undefined ? [] : ["--config", resolve(machine.directory, config.file)];
  const variables = await listActiveVariables(config);
  return {
    launch: toLaunch(program, [...named, ...words]),
    values: withValues ? variables : {},
    names: withValues ? [] : Object.keys(variables),
  };
}

/** What is to be told with the change, given the entry as it will be. */
function notesOf(command: InstallCommand, wanted: WantedEntry | undefined, entry: Entry | undefined): Text[] {
  const { config, machine } = command;
  const { title, variables } = hosts[command.host];
  if (wanted === undefined || config === undefined) return [];
  const env = isRecord(entry?.env) ? entry.env : {};
  const missing = variables === "few" ? wanted.names.filter((name) => !Object.hasOwn(env, name)) : [];
  return [
    ...(isFetched(command.program) ? [texts.fetched] : []),
    ...(missing.length > 0 ? [texts.describeMissingVariables(title, missing, config)] : []),
    // Windows knows no such modes.
    ...(hasValues(wanted) && machine.platform !== "win32" ? [texts.valuesInClear] : []),
    ...(command.isProject ? [texts.pathsInProject] : []),
  ];
}

function hasValues(wanted: WantedEntry | undefined): boolean {
  return Object.keys(wanted?.values ?? {}).length > 0;
}

function usage(text: Text): DuetError {
  return new DuetError({ code: "config", text });
}
