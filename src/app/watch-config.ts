import type { Config, ServerSettings } from "../config/config.ts";
import { listConfigFiles, loadConfig } from "../config/load-config.ts";
import type { Flags } from "../config/settings/settings.ts";
import { describeSkippedFiles } from "../config/sources/choose-files.ts";
import { describeUnsetParts } from "../config/sources/unset-parts.ts";
import { type FileWatchOptions, watchFiles } from "../config/sources/watch-files.ts";
import { type DuetError, toDuetError, toErrorReport } from "../kit/errors.ts";
import type { Text } from "../kit/locale.ts";
import { joinSentences } from "../render/event-lines.ts";

export interface ConfigWatchOptions extends Omit<FileWatchOptions, "onChange"> {
  config: Config;
  /** Holds the command line's flags, which do not change. */
  flags: Flags;
  /** Takes the servers that are configured from now on. */
  onServers(servers: readonly ServerSettings[]): Promise<void>;
  /** Takes a line about what could not be obeyed. */
  warn(line: Text): void;
  /** Is the process's own environment when absent. */
  environment?: Config["environment"];
  directory?: string;
}

/**
 * Reads the configuration again when its file, the place where one would be found, or the `.env` beside it changes, as
 * long as the signal has not aborted. Changed servers are applied at once. Other changes need a restart, which a warning
 * says. A configuration that is invalid, missing or untrusted causes a warning, and the old one stays in force. Keeps no
 * process alive.
 */
export function watchConfig(reloading: ConfigWatchOptions): void {
  const { flags, environment, directory, onServers, warn, signal } = reloading;
  let inForce = reloading.config;

  async function reload(): Promise<void> {
    const next = await loadConfig(flags, environment, directory);
    const missing = describeLostTrust(inForce, next) ?? describeLostFile(inForce, next);
    if (signal.aborted) return;
    if (missing) return warn(missing);
    const before = inForce;
    inForce = next;
    const known = new Set(before.unsetParts.map(({ text }) => text.en));
    describeUnsetParts(next.unsetParts.filter(({ text }) => !known.has(text.en))).forEach(warn);
    if (describeServers(next) !== describeServers(before)) await onServers(next.servers);
    if (describeRest(next) !== describeRest(before)) warn(needsRestart);
  }

  watchFiles(listConfigFiles(flags, environment, directory), {
    ...reloading,
    onChange: () => reload().catch((thrown) => describeUnchanged(toDuetError(thrown)).forEach(warn)),
  });
}

function describeLostTrust(inForce: Config, next: Config): Text | undefined {
  const before = new Set(inForce.leftOut.map(({ file }) => file));
  return describeSkippedFiles(next.leftOut.filter(({ file }) => !before.has(file)));
}

function describeLostFile(inForce: Config, next: Config): Text | undefined {
  if (inForce.file === undefined || next.file !== undefined) return undefined;
  return {
    zh: `${inForce.file}：文件已不存在，仍使用之前的配置`,
    en: `${inForce.file}: the file no longer exists; the configuration is unchanged`,
  };
}

function describeServers({ servers }: Config): string {
  return JSON.stringify(servers);
}

/** Returns all settings that take effect only at a start; of the environment, those variables that servers may see. */
function describeRest(config: Config): string {
  const { servers, settings, origins, environment, dotEnv, leftOut, unsetParts, ...rest } = config;
  const { mcpServers, servers: more, ...others } = settings;
  const passed = servers.flatMap(({ transport }) => (transport.type === "stdio" ? transport.inheritEnv : []));
  return JSON.stringify([rest, others, passed.map((name) => environment[name])]);
}

const needsRestart: Text = {
  zh: "配置已改变：服务器立即生效，其他设置在重新启动后生效",
  en: "the configuration has changed: server changes take effect now, other settings after a restart",
};

/** Returns a line for each error. */
function describeUnchanged(error: DuetError): Text[] {
  const [first, ...rest] = [error, ...error.others].map((each): Text => {
    const [zh, en] = [toErrorReport(each, "zh"), toErrorReport(each, "en")].map(({ message, hint }) =>
      joinSentences(message, hint),
    );
    return { zh: zh ?? "", en: en ?? "" };
  });
  const { zh, en } = first ?? error.text;
  return [{ zh: `仍使用之前的配置：${zh}`, en: `the previous configuration stays in effect: ${en}` }, ...rest];
}
