import type { ToolFailure } from "../../../core/tools/tool.ts";
import { getMessage } from "../../../kit/errors.ts";
import { isRecord } from "../../../kit/json.ts";
import type { Text } from "../../../kit/locale.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import { truncate } from "../../../kit/text/truncate.ts";
import type { MailServer } from "./mail.ts";

/** Why a mail was not sent, or that nobody knows whether it was. */
export interface MailFault {
  code: ToolFailure["code"];
  text: Text;
}

export interface FaultPlace {
  server: MailServer;
  /** Whether the whole message had gone out, so that the server may have taken it although it did not say so. */
  handedOver: boolean;
  /** Whether the time for all of it was over. */
  expired: boolean;
}

export function describeFault(thrown: unknown, { server, handedOver, expired }: FaultPlace): MailFault {
  const { code, command, responseCode, response, rejected } = isRecord(thrown) ? thrown : {};
  const said = typeof response === "string" ? response : getMessage(thrown);
  const reply = withoutSecrets(truncate(sanitizeLine(said), 200), server);
  const host = `${server.host}:${server.port}`;
  if (handedOver && responseCode === undefined) {
    return fault(
      "timeout",
      `邮件内容已交给 ${host}，但没有收到确认：可能已经发出，也可能没有。不要重发，请告诉用户。`,
      `The message was handed to ${host} but not confirmed: it may have been sent, or not. Do not send it again; tell the user.`,
    );
  }
  if (expired || code === "ETIMEDOUT")
    return fault(
      "timeout",
      `邮件服务器 ${host} 没有及时回应，邮件没有发出`,
      `The mail server ${host} did not answer in time; nothing was sent.`,
    );
  if (code === "EAUTH")
    return fault(
      "auth",
      `邮件服务器 ${host} 不接受登录（${reply}），邮件没有发出。请检查 SMTP_USER 和 SMTP_PASSWORD。`,
      `The mail server ${host} refused the login (${reply}); nothing was sent. Check SMTP_USER and SMTP_PASSWORD.`,
    );
  if (code === "ETLS" || command === "STARTTLS")
    return fault(
      "network",
      `无法与 ${host} 建立加密连接（${reply}），邮件没有发出，也没有发送密码`,
      `No secure connection to ${host} (${reply}); nothing was sent, and no password either.`,
    );
  if (command === "RCPT TO") {
    const who = Array.isArray(rejected) ? rejected.map((address) => sanitizeLine(String(address))).join(", ") : "";
    return fault(
      "tool",
      `邮件服务器拒绝了所有收件人 ${who}（${reply}），邮件没有发出`,
      `The mail server refused every recipient, ${who} (${reply}); nothing was sent.`,
    );
  }
  if (command === "MAIL FROM")
    return fault(
      "tool",
      `邮件服务器不接受发件人 ${server.from}（${reply}），邮件没有发出`,
      `The mail server refused the sender ${server.from} (${reply}); nothing was sent.`,
    );
  if (command === "DATA")
    return fault(
      "tool",
      `邮件服务器拒绝了这封邮件（${reply}），没有发出`,
      `The mail server refused the message (${reply}); nothing was sent.`,
    );
  return fault(
    "network",
    `无法连接邮件服务器 ${host}（${reply}），邮件没有发出`,
    `No connection to the mail server ${host} (${reply}); nothing was sent.`,
  );
}

function fault(code: MailFault["code"], zh: string, en: string): MailFault {
  return { code, text: { zh, en } };
}

/** A server may say what it was told: the password, also in the forms in which a login sends it. */
function withoutSecrets(text: string, { user = "", password }: MailServer): string {
  if (!password) return text;
  const forms = [password, password, `\0${user}\0${password}`].map((form, index) =>
    index === 0 ? form : Buffer.from(form).toString("base64"),
  );
  return forms.toSorted((a, b) => b.length - a.length).reduce((shown, form) => shown.replaceAll(form, "***"), text);
}
