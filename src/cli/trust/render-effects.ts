import type { TrustEffect } from "../../config/trust/trust-effects.ts";
import { type Locale, say, type Text } from "../../kit/locale.ts";

/** Renders what a configuration would do, a line each: what is started or called, and which variables it gets. */
export function renderEffects(effects: readonly TrustEffect[], locale: Locale): string[] {
  return effects.map((effect) => say(locale, describeEffect(effect)));
}

function describeEffect({ kind, name, what, given, yours }: TrustEffect): Text {
  const zh = [`${verbs[kind].zh}${name}：${what}`];
  const en = [`${verbs[kind].en} ${name}: ${what}`];
  if (given.length > 0) {
    zh.push(`给它 ${given.map((each) => quoteName(each.name) + (each.isDangerous ? canRunCode.zh : "")).join("、")}`);
    en.push(
      `gives it ${given.map((each) => quoteName(each.name) + (each.isDangerous ? canRunCode.en : "")).join(", ")}`,
    );
  }
  if (yours === "all") {
    zh.push("得到你的全部环境变量");
    en.push("gets all your variables");
  } else if (yours.length > 0) {
    zh.push(`得到你的 ${yours.map(quoteName).join("、")}`);
    en.push(`gets your ${yours.map(quoteName).join(", ")}`);
  }
  return { zh: zh.join(" · "), en: en.join(" · ") };
}

const verbs: Record<TrustEffect["kind"], Text> = {
  start: { zh: "启动服务器 ", en: "starts the server" },
  agent: { zh: "启动智能体 ", en: "starts the agent" },
  call: { zh: "调用 ", en: "calls" },
  load: { zh: "载入代码 ", en: "loads code from" },
  run: { zh: "为取得密钥运行命令 ", en: "runs a command for the key of" },
  hook: { zh: "运行命令 ", en: "runs a command at" },
  proxy: { zh: "经过代理连接 ", en: "connects by the proxy of" },
  certificates: { zh: "信任证书 ", en: "trusts the certificates of" },
};

/** Follows a variable that can make the program that gets it run other code. */
export const canRunCode: Text = { zh: "（能让程序运行别的代码）", en: " (can make a program run other code)" };

/** Stands for a file without any effect. */
export const startsNothing: Text = {
  zh: "不启动任何程序，也不含地址",
  en: "starts no program and contains no address",
};

/** Quotes a name that could be misread. */
export function quoteName(name: string): string {
  return /^\w[\w-]*$/.test(name) ? name : JSON.stringify(name);
}
