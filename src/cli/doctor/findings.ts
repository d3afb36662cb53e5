import type { ModelCheck, Role } from "../../app/models/check-models.ts";
import { describeServerFailure } from "../../app/notices.ts";
import type { Inventory } from "../../app/tools/tool-inventory.ts";
import type { Config } from "../../config/config.ts";
import { toModelName } from "../../core/model/model.ts";
import type { DuetError } from "../../kit/errors.ts";
import { removePrefix, type Text } from "../../kit/locale.ts";
import { formatCount } from "../../kit/text/format-count.ts";
import { describeHealth } from "../tools/server-health.ts";

/** Holds the result of one check: a line of `duet doctor`. */
export interface Finding {
  topic: "node" | "configuration" | "network" | "search" | "key" | "package" | "model" | "tools" | "server" | "agent";
  /** Is `none` for something optional that is absent. */
  state: "ok" | "failed" | "none";
  /** Names the topic for readers. */
  what: Text;
  name: string;
  text: Text;
  hint?: Text;
  /** Adds details for programs, in the `snake_case` of docs/development/contract.md. */
  details?: Record<string, unknown>;
}

const roles: Record<Role, Text> = {
  functionCall: { zh: "工具调用", en: "function calls" },
  answer: { zh: "回答", en: "answers" },
};

const fallbackRoles: Record<Role, Text> = {
  functionCall: { zh: "工具调用（备用）", en: "function calls (fallback)" },
  answer: { zh: "回答（备用）", en: "answers (fallback)" },
};

export function toModelFinding(check: ModelCheck, config: Config): Finding {
  const { choice, elapsedMs, error, notices } = check;
  if (!("wire" in choice)) return createOfflineFinding(config);
  const name = toModelName(choice);
  const served = choice.servedAs === undefined ? [] : [`→ ${choice.servedAs}`];
  const joinFacts = (words: string[]): string =>
    [words.join(" + "), ...served, choice.wire, `${elapsedMs} ms`, ...notices].join(" · ");
  const labels = check.roles.map((role) => (check.isFallback ? fallbackRoles : roles)[role]);
  const zh = joinFacts(labels.map((label) => label.zh));
  const en = joinFacts(labels.map((label) => label.en));
  const why = error && removePrefix(error.text, { zh: `${name}：`, en: `${name}: ` });
  return {
    topic: "model",
    state: error ? "failed" : "ok",
    what: { zh: "模型", en: "model" },
    name,
    text: why ? { zh: `${zh} · ${why.zh}。`, en: `${en} · ${why.en}.` } : { zh, en },
    hint: error?.hint,
    details: {
      roles: check.roles.map((role) => (role === "functionCall" ? "function_call" : "answer")),
      ...{ provider: choice.provider, model: choice.model, served_as: choice.servedAs ?? null, wire: choice.wire },
      ...(check.isFallback && { fallback: true }),
      ...{ latency_ms: elapsedMs, code: error?.code ?? null, notices },
    },
  };
}

/** Explains how to choose a model when none is configured; the offline rules need neither a key nor the network. */
function createOfflineFinding({ models, providers }: Config): Finding {
  const what = { zh: "模型", en: "model" };
  const details = { provider: "offline", model: "rules" };
  if (models.functionCall !== undefined) {
    const text = {
      zh: "按配置使用离线规则（不是语言模型）",
      en: "the offline rules, as configured (not a language model)",
    };
    return { topic: "model", state: "ok", what, name: "offline", text, details };
  }
  const keys = [...new Set(Object.values(providers).flatMap(({ keyEnv }) => keyEnv ?? []))].join(", ");
  return {
    topic: "model",
    state: "none",
    what,
    name: "offline",
    text: {
      zh: "没有配置模型，由离线规则回答（不是语言模型）。",
      en: "no model is configured; the offline rules answer (not a language model).",
    },
    hint: {
      zh: `请设置以下任一密钥：${keys}；或启动 Ollama；或在配置文件中写明 models.functionCall（duet config init）。`,
      en: `Set one of the keys ${keys}, start Ollama, or set models.functionCall in a configuration file (duet config init).`,
    },
    details,
  };
}

export function toServerFinding(server: Inventory["servers"][number]): Finding {
  const { name, transport, state, toolCount, startMs, error, problems } = server;
  const out = problems.length;
  const left = {
    zh: out > 0 ? ` · 忽略了 ${out} 个工具（见 duet tools）` : "",
    en: out > 0 ? ` · ${formatCount(out, "tool")} skipped (see duet tools)` : "",
  };
  const took = `${startMs ?? "?"} ms`;
  const start = state === "idle" ? { zh: "第一次调用时启动", en: "starts on its first call" } : { zh: took, en: took };
  const health = describeHealth(server);
  const facts = {
    zh: [transport, `${toolCount} 个工具`, start.zh + left.zh, ...health.map(({ zh }) => zh)].join(" · "),
    en: [transport, formatCount(toolCount, "tool"), start.en + left.en, ...health.map(({ en }) => en)].join(" · "),
  };
  return {
    topic: "server",
    state: error !== null ? "failed" : stateOf[state],
    what: { zh: "MCP 服务器", en: "MCP server" },
    name,
    text: error === null ? facts : serverError(server, error),
    hint: error === null ? undefined : (error.hint ?? describeRemedy(name, transport)),
    details: { transport, server_state: state, tool_count: toolCount, start_ms: startMs, code: error?.code ?? null },
  };
}

/** A server that has not started, and does not have to, is neither ok nor failed. */
const stateOf: Record<Inventory["servers"][number]["state"], Finding["state"]> = {
  ready: "ok",
  idle: "none",
  starting: "failed",
  failed: "failed",
  closed: "failed",
};

function serverError({ name, transport }: Inventory["servers"][number], error: DuetError): Text {
  const why = describeServerFailure(name, error);
  return { zh: `${transport} · ${cut(why.zh)}。`, en: `${transport} · ${cut(why.en)}.` };
}

function describeRemedy(name: string, transport: string): Text {
  const keys = transport === "stdio" ? "command, args, env" : "url, headers";
  return {
    zh: `请检查 mcpServers.${name} 的 ${keys}。`,
    en: `Check ${keys} of mcpServers.${name}.`,
  };
}

/** Shortens a server's last output, which may be a whole stack trace. */
function cut(text: string): string {
  return text.length > 600 ? `${text.slice(0, 600).toWellFormed()}…` : text;
}
