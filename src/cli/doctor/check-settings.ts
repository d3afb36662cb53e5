import manifest from "../../../package.json" with { type: "json" };
import type { ModelCheck, SearchCheck } from "../../app/models/check-models.ts";
import type { Config } from "../../config/config.ts";
import { resolveVendorName } from "../../config/models/vendor-table.ts";
import { describeServerCount } from "../../config/sources/choose-files.ts";
import { describeUnreadLines } from "../../config/sources/dot-env-lines.ts";
import { createStateFolder } from "../../config/sources/state-folder.ts";
import type { UnsetPart } from "../../config/sources/unset-parts.ts";
import { findDangerousVariables } from "../../config/trust/dangerous-variables.ts";
import { findUnpinnedPackages } from "../../config/trust/unpinned-packages.ts";
import { type DuetError, toDuetError } from "../../kit/errors.ts";
import { removePrefix, type Text } from "../../kit/locale.ts";
import { formatCount } from "../../kit/text/format-count.ts";
import { searchBackendNames, searchBackends } from "../../tools/search/search-backends.ts";
import type { Finding } from "./findings.ts";

/** Takes `version` without a leading `v`. */
export function checkNode(version: string): Finding {
  const needed = manifest.engines.node.replace(/[^\d.]/g, "");
  const ok = version.localeCompare(needed, "en", { numeric: true }) >= 0;
  return {
    topic: "node",
    state: ok ? "ok" : "failed",
    what: { zh: "Node.js", en: "Node.js" },
    name: version,
    text: { zh: `需要 ${needed} 或更高`, en: `needs ${needed} or later` },
    hint: ok ? undefined : { zh: "请升级 Node.js。", en: "Install a newer Node.js." },
  };
}

/** Reports the file. Without errors it is valid. */
export function toConfigurationFinding({ file, dotEnv }: Config, errors: readonly DuetError[] = []): Finding {
  const what = { zh: "配置文件", en: "configuration file" };
  const added = dotEnv.added.size;
  const variables = {
    zh: added > 0 ? `；${dotEnv.file} 中的 ${added} 个变量` : "",
    en: added > 0 ? `; ${added} ${added === 1 ? "variable" : "variables"} of ${dotEnv.file}` : "",
  };
  const details = { file: file ?? null, env_file: added > 0 ? dotEnv.file : null };
  if (errors.length > 0) {
    const text = {
      zh: `配置有 ${errors.length} 处错误，其他命令无法运行；以下检查略去了出错的部分${variables.zh}。`,
      en: `the configuration has ${formatCount(errors.length, "error")}, and other commands refuse to run; what follows was checked without the parts at fault${variables.en}.`,
    };
    return { topic: "configuration", state: "failed", what, name: file ?? "", text, details };
  }
  if (file !== undefined) {
    const text = { zh: `有效${variables.zh}`, en: `valid${variables.en}` };
    return { topic: "configuration", state: "ok", what, name: file, text, details };
  }
  const text = {
    zh: `没有：使用默认值、环境变量与参数${variables.zh}。`,
    en: `none: defaults, environment and flags are used${variables.en}.`,
  };
  const hint = { zh: "创建：duet config init", en: "Create one: duet config init" };
  return { topic: "configuration", state: "none", what, name: "", text, hint, details };
}

/** Reports what is wrong with the configuration, a line each. */
export function toErrorFindings(errors: readonly DuetError[]): Finding[] {
  return errors.map(({ text, hint }): Finding => {
    const what = { zh: "配置错误", en: "configuration error" };
    const shown = { zh: `${text.zh}。`, en: `${text.en}.` };
    return { topic: "configuration", state: "failed", what, name: "", text: shown, hint };
  });
}

/** Reports what is left out because a variable is not set. What nothing uses is no fault. */
export function toUnsetFindings({ unsetParts, dotEnv }: Pick<Config, "unsetParts" | "dotEnv">): Finding[] {
  return unsetParts.map(({ kind, name, variable }): Finding => {
    const { topic, what, isNeeded } = unsetKinds[kind];
    return {
      ...{ topic, what, name },
      state: isNeeded ? "failed" : "none",
      text: { zh: `未使用：环境变量 ${variable} 未设置。`, en: `not used: the variable ${variable} is not set.` },
      hint: {
        zh: `请在环境变量或 ${dotEnv.file} 中设置。`,
        en: `Set it in the environment or in ${dotEnv.file}.`,
      },
      details: { variable, left_out: true },
    };
  });
}

const unsetKinds: Record<UnsetPart["kind"], Pick<Finding, "topic" | "what"> & { isNeeded: boolean }> = {
  server: { topic: "server", what: { zh: "MCP 服务器", en: "MCP server" }, isNeeded: true },
  provider: { topic: "model", what: { zh: "提供商", en: "provider" }, isNeeded: false },
  "search-key": { topic: "search", what: { zh: "搜索密钥", en: "search key" }, isNeeded: false },
};

/** Reports the providers and the keys of search services that the configuration has and that nothing uses. */
export function toUnusedFindings(config: Config, checks: readonly ModelCheck[], search: SearchCheck | null): Finding[] {
  const called = new Set(checks.map(({ choice }) => choice.provider));
  const unset = new Set(config.unsetParts.map(({ kind, name }) => `${kind} ${name}`));
  const providers = Object.keys(config.settings.providers).filter(
    (name) => !called.has(resolveVendorName(name)) && !unset.has(`provider ${name}`),
  );
  const asked = new Set(search?.chain.map(({ party }) => party));
  const services = searchBackendNames.filter(
    (name) => config.search[name]?.apiKey && !asked.has(searchBackends[name].title),
  );
  const why =
    search === null ? { zh: "搜索已关闭", en: "search is off" } : { zh: "搜索不用它", en: "no search uses it" };
  return [
    ...providers.map((name) => createUnusedFinding("model", unsetKinds.provider.what, name, noModel)),
    ...services.map((name) => createUnusedFinding("search", unsetKinds["search-key"].what, name, why)),
  ];
}

function createUnusedFinding(topic: Finding["topic"], what: Text, name: string, why: Text): Finding {
  const text = { zh: `未使用：${why.zh}。`, en: `not used: ${why.en}.` };
  return { topic, state: "none", what, name, text, details: { used: false } };
}

const noModel: Text = { zh: "使用中的模型都不属于它", en: "no model in use belongs to it" };

/** Reports a `DUET_HOME` that cannot be created; other commands refuse to start with it. */
export function checkStateFolder(config: Config): Finding[] {
  try {
    createStateFolder(config);
    return [];
  } catch (thrown) {
    const what = { zh: "状态文件夹 DUET_HOME", en: "state folder DUET_HOME" };
    const text = removePrefix(toDuetError(thrown).text, { zh: "DUET_HOME: ", en: "DUET_HOME: " });
    return [{ topic: "configuration", state: "failed", what, name: "", text }];
  }
}

/** Reports files that were found but not read. No command needs them, so that none is a failure. */
export function toLeftOutFindings({ leftOut }: Pick<Config, "leftOut">): Finding[] {
  const what = { zh: "未使用的文件", en: "unused file" };
  return leftOut.map(({ file, servers, unreadable }): Finding => {
    const details = { servers: servers ?? null, left_out: true };
    if (unreadable !== undefined) {
      const { zh, en } = removePrefix(unreadable, { zh: `${file}: `, en: `${file}: ` });
      const text = { zh: `${zh}。`, en: `${en}.` };
      return { topic: "configuration", state: "none", what, name: file, text, details };
    }
    const would =
      servers === undefined
        ? { zh: "", en: "" }
        : { zh: `（${servers} 个服务器）`, en: ` (${describeServerCount(servers)})` };
    return {
      topic: "configuration",
      state: "none",
      what,
      name: file,
      text: {
        zh: `在 git 工作区中，当前内容尚未被信任${would.zh}。`,
        en: `is in a git work tree, and its content is not trusted${would.en}.`,
      },
      hint: { zh: "查看并信任：duet config trust", en: "Review and trust it: duet config trust" },
      details,
    };
  });
}

/** Reports the lines of `.env` that set no variable. */
export function toUnreadFindings({ dotEnv }: Pick<Config, "dotEnv">): Finding[] {
  const told = describeUnreadLines(dotEnv);
  if (told === undefined) return [];
  const text = { zh: `${told.zh}。`, en: `${told.en}.` };
  const what = { zh: "变量文件", en: "variables file" };
  const details = { env_file: dotEnv.file, lines: dotEnv.unread };
  return [{ topic: "configuration", state: "none", what, name: "", text, details }];
}

/**
 * Reports settings that are allowed but worth a second look: variables that change what a program runs, and packages without a
 * version.
 */
export function checkServerSettings({ servers, agents }: Pick<Config, "servers" | "agents">): Finding[] {
  const programs = agents.flatMap(({ name, acp }) => (acp ? [{ name, transport: acp.transport }] : []));
  return [
    ...listServerWarnings(servers, { topic: "server", what: serverWord }),
    ...listServerWarnings(programs, { topic: "agent", what: { zh: "智能体", en: "agent" } }),
  ];
}

function listServerWarnings(
  servers: readonly Pick<Config["servers"][number], "name" | "transport">[],
  kind: Pick<Finding, "topic" | "what">,
): Finding[] {
  const dangerous = findDangerousVariables(servers).map((found): Finding => {
    const { server, names } = found;
    const text = {
      zh: `变量 ${names.join("、")} 能让它运行别的代码。`,
      en: `gets ${names.join(", ")}, which can make it run other code.`,
    };
    return { ...kind, state: "none", name: server, text, details: { variables: names } };
  });
  const unpinned = findUnpinnedPackages(servers).map(({ server, name }): Finding => {
    const text = {
      zh: `未固定 ${name} 的版本，下次启动时可能是另一个程序。`,
      en: `the version of ${name} is not pinned: its next start may run another program.`,
    };
    const hint = { zh: `写作：${name}@版本号`, en: `Write ${name}@VERSION.` };
    return { ...kind, state: "none", name: server, text, hint, details: { package: name } };
  });
  return [...dangerous, ...unpinned];
}

const serverWord: Text = { zh: "MCP 服务器", en: "MCP server" };

/** Reports the keys of the models in use, then which other keys are set. It never reports a value. */
export function checkKeys(checks: readonly ModelCheck[], config: Config): Finding[] {
  const wanted = new Map<string, boolean>();
  for (const { choice } of checks) {
    if ("wire" in choice && choice.apiKeyEnv) wanted.set(choice.apiKeyEnv, choice.apiKey !== undefined);
  }
  const known = Object.values(config.providers).flatMap(({ keyEnv }) => keyEnv ?? []);
  const others = [...new Set(known)].filter((name) => !wanted.has(name));
  const commands = new Map(checks.flatMap(({ choice, key }) => (key ? [[choice.provider, key] as const] : [])));
  return [
    ...[...wanted].map(([name, isSet]) => createKeyFinding(name, isSet, config)),
    ...[...commands].map(([provider, key]) => createCommandFinding(provider, key)),
    ...listOtherKeys(others, config),
  ];
}

function createKeyFinding(name: string, isSet: boolean, { dotEnv }: Config): Finding {
  const finding = { topic: "key", what: keyWord, name, details: { set: isSet } } as const;
  if (!isSet) {
    const hint = {
      zh: `请在环境变量或 ${dotEnv.file} 中设置。`,
      en: `Set it in the environment or in ${dotEnv.file}.`,
    };
    return { ...finding, state: "failed", text: { zh: "未设置。", en: "not set." }, hint };
  }
  const from = dotEnv.added.has(name) ? { zh: `（${dotEnv.file}）`, en: ` (${dotEnv.file})` } : { zh: "", en: "" };
  return { ...finding, state: "ok", text: { zh: `已设置${from.zh}`, en: `set${from.en}` } };
}

/** Reports the command that prints a provider's key, never what it prints. */
function createCommandFinding(provider: string, { elapsedMs, error }: NonNullable<ModelCheck["key"]>): Finding {
  const finding = { topic: "key", what: keyWord, name: provider, details: { command: true, ms: elapsedMs } } as const;
  if (error === null) {
    const text = { zh: `由 apiKeyCommand 输出 · ${elapsedMs} ms`, en: `printed by apiKeyCommand · ${elapsedMs} ms` };
    return { ...finding, state: "ok", text };
  }
  const text = { zh: `${error.text.zh}。`, en: `${error.text.en}.` };
  return { ...finding, state: "failed", text, hint: error.hint };
}

function listOtherKeys(names: readonly string[], { environment }: Config): Finding[] {
  if (names.length === 0) return [];
  const isSet = (name: string): boolean => Boolean(environment[name]?.trim());
  const there = names.filter(isSet);
  const missing = names.filter((name) => !isSet(name));
  const list = (set: string, unset: string): string =>
    [there.length > 0 && `${set} ${there.join(", ")}`, missing.length > 0 && `${unset} ${missing.join(", ")}`]
      .filter(Boolean)
      .join(" · ");
  return [
    {
      topic: "key",
      state: "none",
      what: { zh: "其他密钥（未使用）", en: "other keys, not in use" },
      name: "",
      text: { zh: list("已设置", "未设置"), en: list("set", "not set") },
      details: { set: there, missing },
    },
  ];
}

const keyWord: Text = { zh: "密钥", en: "key" };
