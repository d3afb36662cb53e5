// Loads the mail library: whoever needs this file imports it when first needed.
import MailComposer from "nodemailer/lib/mail-composer";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import type { ToolFailure } from "../../../core/tools/tool.ts";
import { ignoreRejection } from "../../../kit/async/ignore-rejection.ts";
import { createTimeLimit, timeoutError } from "../../../kit/async/timeout.ts";
import { getMessage } from "../../../kit/errors.ts";
import { isRecord } from "../../../kit/json.ts";
import type { Text } from "../../../kit/locale.ts";
import { sanitizeLine } from "../../../kit/text/sanitize.ts";
import { truncate } from "../../../kit/text/truncate.ts";
import type { Mail, MailServer, MailTimes } from "./mail.ts";

export type Delivery = { messageId: string; accepted: string[]; rejected: string[] } | { fault: MailFault };

/** Sends once: whatever happens, it is not tried again. Rejects only when the signal aborts; the connection is closed either way. */
export async function sendMail(
  server: MailServer,
  mail: Mail,
  times: MailTimes,
  signal: AbortSignal,
): Promise<Delivery> {
  signal.throwIfAborted();
  const { user, password, host, port, secure, from } = server;
  const requireTLS = !secure && !isThisMachine(host);
  const { connectMs, silenceMs, totalMs } = times;
  const connection = new SMTPConnection({
    host,
    port,
    secure,
    requireTLS,
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    dnsTimeout: connectMs,
    socketTimeout: silenceMs,
  });
  const composed = { ...mail, from, disableFileAccess: true, disableUrlAccess: true };
  const message = new MailComposer(composed).compile();
  const content = message.createReadStream();
  let handedOver = false;
  content.once("end", () => {
    handedOver = true;
  });
  const limit = createTimeLimit(totalMs, () => timeoutError("SMTP", totalMs), signal);
  try {
    const failed = new Promise<never>((_, reject) => {
      connection.once("error", reject);
      connection.once("end", () => reject(new Error("closed")));
      limit.signal.addEventListener("abort", () => reject(limit.signal.reason), { once: true });
    });
    // Listened to until the end: what comes after the outcome must not be an unhandled error.
    void ignoreRejection(failed, "what fails after the outcome changes nothing");
    connection.on("error", () => {});
    const runStep = <T>(take: (done: (error: unknown, value: T) => void) => void): Promise<T> =>
      Promise.race([
        new Promise<T>((resolve, reject) => take((error, value) => (error ? reject(error) : resolve(value)))),
        failed,
      ]);
    await runStep<void>((done) => connection.connect((error) => done(error, undefined)));
    if (user !== undefined && password !== undefined)
      await runStep<void>((done) => connection.login({ user, pass: password }, (error) => done(error, undefined)));
    const { accepted, rejected } = await runStep<SMTPConnection.SentMessageInfo>((done) =>
      connection.send(message.getEnvelope(), content, done),
    );
    connection.quit();
    return { messageId: message.messageId(), accepted, rejected };
  } catch (thrown) {
    signal.throwIfAborted();
    return { fault: describeFault(thrown, { server, handedOver, expired: limit.expired }) };
  } finally {
    limit.clear();
    content.destroy();
    connection.close();
  }
}

function isThisMachine(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

/** Explains why a mail was not sent, or that the outcome is unknown. */
interface MailFault {
  code: ToolFailure["code"];
  text: Text;
}

export interface FaultPlace {
  server: MailServer;
  /** Is true when the whole message had been sent, so the server may have accepted it without confirming. */
  handedOver: boolean;
  /** Is true when the total time was over. */
  expired: boolean;
}

export function describeFault(thrown: unknown, { server, handedOver, expired }: FaultPlace): MailFault {
  const { code, command, responseCode, response, rejected } = isRecord(thrown) ? thrown : {};
  const said = typeof response === "string" ? response : getMessage(thrown);
  const reply = removeSecrets(truncate(sanitizeLine(said), 200), server);
  const host = `${server.host}:${server.port}`;
  if (handedOver && responseCode === undefined) {
    return createFault(
      "timeout",
      `邮件内容已交给 ${host}，但没有收到确认：可能已经发出，也可能没有。不要重发，请告诉用户。`,
      `The message was handed to ${host} but not confirmed: it may have been sent, or not. Do not send it again; tell the user.`,
    );
  }
  if (expired || code === "ETIMEDOUT")
    return createFault(
      "timeout",
      `邮件服务器 ${host} 没有及时回应，邮件没有发出`,
      `The mail server ${host} did not answer in time; nothing was sent.`,
    );
  if (code === "EAUTH")
    return createFault(
      "auth",
      `邮件服务器 ${host} 不接受登录（${reply}），邮件没有发出。请检查 SMTP_USER 和 SMTP_PASSWORD。`,
      `The mail server ${host} refused the login (${reply}); nothing was sent. Check SMTP_USER and SMTP_PASSWORD.`,
    );
  if (code === "ETLS" || command === "STARTTLS")
    return createFault(
      "network",
      `无法与 ${host} 建立加密连接（${reply}），邮件没有发出，也没有发送密码`,
      `No secure connection to ${host} (${reply}); nothing was sent, and no password either.`,
    );
  if (command === "RCPT TO") {
    const who = Array.isArray(rejected) ? rejected.map((address) => sanitizeLine(String(address))).join(", ") : "";
    return createFault(
      "tool",
      `邮件服务器拒绝了所有收件人 ${who}（${reply}），邮件没有发出`,
      `The mail server refused every recipient, ${who} (${reply}); nothing was sent.`,
    );
  }
  if (command === "MAIL FROM")
    return createFault(
      "tool",
      `邮件服务器不接受发件人 ${server.from}（${reply}），邮件没有发出`,
      `The mail server refused the sender ${server.from} (${reply}); nothing was sent.`,
    );
  if (command === "DATA")
    return createFault(
      "tool",
      `邮件服务器拒绝了这封邮件（${reply}），没有发出`,
      `The mail server refused the message (${reply}); nothing was sent.`,
    );
  return createFault(
    "network",
    `无法连接邮件服务器 ${host}（${reply}），邮件没有发出`,
    `No connection to the mail server ${host} (${reply}); nothing was sent.`,
  );
}

function createFault(code: MailFault["code"], zh: string, en: string): MailFault {
  return { code, text: { zh, en } };
}

/**
 * Removes the password from a server's text, including the encoded forms in which a login sends it, because a server may repeat
 * what it received.
 */
function removeSecrets(text: string, { user = "", password }: MailServer): string {
  if (!password) return text;
  const forms = [password, password, `\0${user}\0${password}`].map((form, index) =>
    index === 0 ? form : Buffer.from(form).toString("base64"),
  );
  return forms.toSorted((a, b) => b.length - a.length).reduce((shown, form) => shown.replaceAll(form, "***"), text);
}
