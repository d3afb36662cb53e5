import { createLine, type Style } from "../../terminal/text/line.ts";
import type { ChatCommand } from "./chat-command.ts";

export const doctor: ChatCommand = {
  name: "/doctor",
  argument: "",
  help: { zh: "检查配置、密钥、模型与服务器", en: "checks configuration, keys, models and servers" },
  async run(chat, _argument, signal) {
    const { runChecks, renderFinding } = await import("../../doctor/doctor.ts");
    for await (const finding of runChecks(chat.duet, chat.config, signal, chat.settings.models))
      chat.write(createLine(renderFinding(finding, chat.settings.locale), ...findingStyles[finding.state]));
    return undefined;
  },
};

const findingStyles: Record<"ok" | "failed" | "none", readonly Style[]> = { ok: [], failed: ["bad"], none: ["dim"] };
