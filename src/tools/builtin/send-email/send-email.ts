import { toValueProblem } from "../../../core/tools/argument-feedback.ts";
import {
  type ArgumentProblem,
  createFailure,
  type Tool,
  type ToolContext,
  type ToolResult,
} from "../../../core/tools/tool.ts";
import type { JsonObject, JsonValue } from "../../../kit/json.ts";
import { type Locale, say } from "../../../kit/locale.ts";
import { createBuiltinTool, createSuccess } from "../../create-tool.ts";
import { findRecipientProblems, type MailServer, type MailTimes, parseMailAddress } from "./mail.ts";

export interface EmailOptions extends MailServer {
  /** Lists patterns of allowed recipient addresses, such as `*@example.com`. */
  recipients: readonly string[];
}

const defaultTimes: MailTimes = { connectMs: 10_000, silenceMs: 15_000, totalMs: 50_000 };

/** Sends one mail by SMTP; a person agrees to each. */
export function createSendEmail(email: EmailOptions, locale: Locale, times: Partial<MailTimes> = {}): Tool {
  const describe = (zh: string, en: string) => ({ description: say(locale, { zh, en }) });
  const addresses = { type: "array", items: { type: "string" }, maxItems: 20 };
  return createBuiltinTool({
    name: "send_email",
    ...describe("发送一封纯文本邮件（每次都需用户同意）", "Sends a plain-text mail; the user has to agree each time."),
    inputSchema: {
      type: "object",
      properties: {
        to: { ...addresses, minItems: 1, ...describe("收件人地址", "Addresses of the recipients") },
        cc: { ...addresses, ...describe("抄送", "Carbon copies") },
        bcc: { ...addresses, ...describe("密送", "Blind copies") },
        subject: { type: "string", minLength: 1, maxLength: 200, ...describe("主题，一行", "One line") },
        text: { type: "string", minLength: 1, maxLength: 100_000, ...describe("正文", "The message") },
      },
      required: ["to", "subject", "text"],
      additionalProperties: false,
    },
    alwaysAsks: true,
    check: async (args) => checkMail(args, email.recipients),
    run: (args, context) => send(args, context, email, { ...defaultTimes, ...times }),
  });
}

function checkMail(args: JsonObject, allowed: readonly string[]): ArgumentProblem[] {
  const lists = (["to", "cc", "bcc"] as const).flatMap((path) =>
    findRecipientProblems(path, listTexts(args[path]), allowed),
  );
  const subject = String(args.subject);
  if (!/\p{Cc}|[\u2028\u2029]/u.test(subject) && subject.trim() !== "") return lists;
  return [...lists, toValueProblem("subject", subject, "必须是一行文字", "must be one line of text")];
}

async function send(
  args: JsonObject,
  { signal, locale }: ToolContext,
  server: EmailOptions,
  times: MailTimes,
): Promise<ToolResult> {
  const read = (value: JsonValue | undefined) => listTexts(value).flatMap((text) => parseMailAddress(text) ?? []);
  const mail = {
    to: read(args.to),
    cc: read(args.cc),
    bcc: read(args.bcc),
    subject: String(args.subject),
    text: String(args.text),
  };
  const { sendMail } = await import("./send-mail.ts");
  const delivery = await sendMail(server, mail, times, signal);
  if ("fault" in delivery) return createFailure(delivery.fault.code, say(locale, delivery.fault.text));
  const { accepted, rejected, messageId } = delivery;
  const lines = [
    say(locale, { zh: `已发送给 ${accepted.join("、")}`, en: `Sent to ${accepted.join(", ")}` }),
    ...(rejected.length === 0
      ? []
      : [
          say(locale, {
            zh: `被服务器拒绝的收件人：${rejected.join("、")}`,
            en: `Refused by the server: ${rejected.join(", ")}`,
          }),
        ]),
    say(locale, { zh: `邮件编号 ${messageId}`, en: `Message id ${messageId}` }),
  ];
  return createSuccess(lines.join("\n"));
}

function listTexts(value: JsonValue | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
