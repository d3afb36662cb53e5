import manifest from "../../../package.json" with { type: "json" };
import { refuseNewerStore } from "../../app/conversations/open-store.ts";
import type { ModelCheck } from "../../app/models/check-models.ts";
import type { Config } from "../../config/config.ts";
import { describeServerCount } from "../../config/sources/choose-files.ts";
import { createStateFolder } from "../../config/sources/state-folder.ts";
import { findDangerousVariables } from "../../config/trust/dangerous-variables.ts";
import { findUnpinnedPackages } from "../../config/trust/unpinned-packages.ts";
import { toDuetError } from "../../kit/errors.ts";
import { removePrefix, type Text } from "../../kit/locale.ts";
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

/** The configuration was validated before: an invalid one is an error, and no check runs. */
export function toConfigurationFinding({ file, dotEnv }: Config): Finding {
  const what = { zh: "配置文件", en: "configuration file" };
  const added = dotEnv.added.size;
  const variables = {
    zh: added > 0 ? `；${dotEnv.file} 中的 ${added} 个变量` : "",
    en: added > 0 ? `; ${added} ${added === 1 ? "variable" : "variables"} of ${dotEnv.file}` : "",
  };
  const details = { file: file ?? null, env_file: added > 0 ? dotEnv.file : null };
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

/** Reports a store that a newer Duet wrote; other commands refuse to start with it. */
export async function checkStore(config: Config): Promise<Finding[]> {
  try {
    await refuseNewerStore(config);
    return [];
  } catch (thrown) {
    const what = { zh: "对话存储", en: "conversation store" };
    const { text, hint } = toDuetError(thrown);
    return [{ topic: "configuration", state: "failed", what, name: "", text, hint }];
  }
}

/** Reports files that were found but not read. */
export function toLeftOutFindings({ leftOut }: Pick<Config, "leftOut">): Finding[] {
  return leftOut.map(({ file, servers }): Finding => {
    const would =
      servers === undefined
        ? { zh: "", en: "" }
        : { zh: `（${servers} 个服务器）`, en: ` (${describeServerCount(servers)})` };
    return {
      topic: "configuration",
      state: "none",
      what: { zh: "未使用的文件", en: "unused file" },
      name: file,
      text: {
        zh: `在 git 工作区中，当前内容尚未被信任${would.zh}。`,
        en: `is in a git work tree, and its content is not trusted${would.en}.`,
      },
      hint: { zh: "查看并信任：duet config trust", en: "Review and trust it: duet config trust" },
      details: { servers: servers ?? null, left_out: true },
    };
  });
}

/**
 * Reports settings that are allowed but worth a second look: variables that change what a program runs, and packages without a
 * version.
 */
export function checkServerSettings({ servers }: Pick<Config, "servers">): Finding[] {
  const dangerous = findDangerousVariables(servers).map((found): Finding => {
    const { server, names } = found;
    const text = {
      zh: `变量 ${names.join("、")} 能让它运行别的代码。`,
      en: `gets ${names.join(", ")}, which can make it run other code.`,
    };
    return { topic: "server", state: "none", what: serverWord, name: server, text, details: { variables: names } };
  });
  const unpinned = findUnpinnedPackages(servers).map(({ server, name }): Finding => {
    const text = {
      zh: `未固定 ${name} 的版本，下次启动时可能是另一个程序。`,
      en: `the version of ${name} is not pinned: its next start may run another program.`,
    };
    const hint = { zh: `写作：${name}@版本号`, en: `Write ${name}@VERSION.` };
    return { topic: "server", state: "none", what: serverWord, name: server, text, hint, details: { package: name } };
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
  return [
    ...[...wanted].map(([name, isSet]) => createKeyFinding(name, isSet, config)),
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
