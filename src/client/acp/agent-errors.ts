import { DuetError, getMessage } from "../../kit/errors.ts";
import { isRecord } from "../../kit/json.ts";
import type { Text } from "../../kit/locale.ts";
import type { Ending } from "../../kit/process/child.ts";
import type { Redact } from "../../kit/text/redact.ts";
import { sanitize, toShortLine } from "../../kit/text/sanitize.ts";
import { getCode } from "../connection-errors.ts";

/** Says what is known of an agent that its errors name. */
export interface AgentFacts {
  name: string;
  command: string;
  cwd: string;
  redact: Redact;
  /** Says how its program is installed, and how a person signs in, where that is known. */
  install?: Text | undefined;
  signIn?: Text | undefined;
}

/** Limits what is repeated of an agent's own words, in characters. */
const longestWords = 2000;

/** Returns the error for a process that could not be started, or has ended. */
export function endedError(
  facts: AgentFacts,
  ending: Ending,
  { words, isWorking }: { words: string; isWorking: boolean },
): DuetError {
  const { name, command, cwd, install } = facts;
  if (ending.error !== undefined) {
    const isMissing = getCode(ending.error) === "ENOENT";
    const why = isMissing
      ? {
          zh: `找不到命令 ${JSON.stringify(command)}（或目录 ${JSON.stringify(cwd)}）`,
          en: `there is no command ${JSON.stringify(command)} (or no folder ${JSON.stringify(cwd)})`,
        }
      : toBoth(`${command}: ${String(getCode(ending.error) ?? ending.error.name)}`);
    return createError(name, "config", why, install);
  }
  const how = ending.signal === null ? toBoth(`exit code ${ending.code}`) : toBoth(ending.signal);
  const said = renderWords(facts, words);
  if (!isWorking)
    return createError(name, "server", {
      zh: `它的进程在启动时结束了（${how.zh}）${said.zh}`,
      en: `its process ended while it was starting (${how.en})${said.en}`,
    });
  return createError(name, "server", {
    zh: `它的进程在工作中结束了（${how.zh}），已经做的可能已生效，没有重复${said.zh}`,
    en: `its process ended meanwhile (${how.en}); what it did may have taken effect and is not repeated${said.en}`,
  });
}

/** Returns the error for a request that the agent has refused. */
export function refusedError(facts: AgentFacts, thrown: unknown, words: string): DuetError {
  const { name, signIn, redact } = facts;
  if (thrown instanceof DuetError) return thrown;
  const data = isRecord(thrown) ? thrown.data : undefined;
  const details = isRecord(data) ? (data.details ?? data.message) : data;
  const told = typeof details === "string" ? `: ${details}` : "";
  const message = toShortLine(redact(`${getMessage(thrown)}${told}`), longestWords);
  // The protocol's code for an agent that wants a person to sign in.
  if (getCode(thrown) === -32_000) return createError(name, "auth", toBoth(message), signIn);
  const said = renderWords(facts, words);
  return createError(name, "server", { zh: `${message}${said.zh}`, en: `${message}${said.en}` });
}

/** Returns the error for an agent that did not answer in time while it was starting. */
export function slowStartError({ name }: AgentFacts, ms: number): DuetError {
  const seconds = Math.round(ms / 1000);
  return createError(name, "timeout", {
    zh: `${seconds} 秒内没有启动（agents.${name}.acp.startTimeout）`,
    en: `it did not start within ${seconds} s (agents.${name}.acp.startTimeout)`,
  });
}

/** Returns the error for a system on which nobody could be sure that what an agent has started ends with it. */
export function otherSystemError({ name }: AgentFacts): DuetError {
  return createError(name, "config", {
    zh: "在 Windows 上还不能使用其他智能体（可以在 WSL 中使用）",
    en: "other agents cannot be used on Windows yet (they can be in WSL)",
  });
}

export function otherProtocolError({ name }: AgentFacts, version: unknown): DuetError {
  const shown = JSON.stringify(version);
  return createError(name, "config", {
    zh: `它使用协议版本 ${shown}（允许：1）`,
    en: `it speaks version ${shown} of the protocol (allowed: 1)`,
  });
}

export function unknownModeError({ name }: AgentFacts, mode: string, allowed: readonly string[]): DuetError {
  const shown = JSON.stringify(mode);
  const names = allowed.map((each) => toShortLine(each, 40)).join(", ");
  return createError(
    name,
    "config",
    {
      zh: `没有模式 ${shown}（${names === "" ? "它没有模式" : `允许：${names}`}）`,
      en: `there is no mode ${shown} (${names === "" ? "it has none" : `allowed: ${names}`})`,
    },
    { zh: `请设置 agents.${name}.acp.mode`, en: `agents.${name}.acp.mode names one of its modes` },
  );
}

/** Limits the models that an error lists. Some agents offer hundreds. */
const mostListed = 40;

export function unknownModelError({ name }: AgentFacts, model: string, allowed: readonly string[]): DuetError {
  const shown = JSON.stringify(model);
  const names = allowed.slice(0, mostListed).map((each) => toShortLine(each, 60));
  const list = [...names, ...(allowed.length > mostListed ? ["…"] : [])].join(", ");
  return createError(
    name,
    "config",
    {
      zh: `没有模型 ${shown}（${list === "" ? "它不让人选择模型" : `允许：${list}`}）`,
      en: `there is no model ${shown} (${list === "" ? "it offers no choice" : `allowed: ${list}`})`,
    },
    { zh: `请设置 agents.${name}.acp.model`, en: `agents.${name}.acp.model names one of its models` },
  );
}

export function tooLargeError({ name }: AgentFacts): DuetError {
  return createError(name, "bad_response", {
    zh: "它写了一条过长的消息，已被结束",
    en: "it wrote a message that is too long, and was ended",
  });
}

export function tooManyRequestsError({ name }: AgentFacts): DuetError {
  return createError(name, "bad_response", {
    zh: "它同时提出了过多请求，已被结束",
    en: "it made too many requests at one time, and was ended",
  });
}

/** Returns the error for a process that was ended because it went on with a question that was over. */
export function deafError({ name }: AgentFacts): DuetError {
  return createError(name, "server", {
    zh: "它没有理会对另一个问题的取消，进程已被结束；已经做的可能已生效，没有重复",
    en: "its process was ended, because it ignored the cancel of another question; what it did may have taken effect and is not repeated",
  });
}

/** Returns the error for a process that nothing can be said to any more. */
export function lostConnectionError({ name, redact }: AgentFacts, reason: unknown): DuetError {
  const why = toShortLine(redact(getMessage(reason)), longestWords);
  return createError(name, "server", {
    zh: `与它的连接断开了（${why}），进程已被结束；已经做的可能已生效，没有重复`,
    en: `the connection to it was lost (${why}), so its process was ended; what it did may have taken effect and is not repeated`,
  });
}

function createError(name: string, code: DuetError["code"], why: Text, hint?: Text): DuetError {
  const text = { zh: `智能体 ${name}：${why.zh}`, en: `agent ${name}: ${why.en}` };
  return new DuetError({ code, text, ...(hint && { hint }) });
}

function renderWords({ redact }: AgentFacts, words: string): Text {
  const last = sanitize(redact(words.trim())).slice(-longestWords);
  return last === "" ? toBoth("") : { zh: `；它写道：\n${last}`, en: `; it wrote:\n${last}` };
}

function toBoth(text: string): Text {
  return { zh: text, en: text };
}
