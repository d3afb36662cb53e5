// Loads the mail library: whoever needs this file imports it when first needed.
import MailComposer from "nodemailer/lib/mail-composer";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { createTimeLimit, timeoutError } from "../../../kit/async/timeout.ts";
import { describeFault, type MailFault } from "./faults.ts";
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
    failed.catch(() => {});
    connection.on("error", () => {});
    const step = <T>(take: (done: (error: unknown, value: T) => void) => void): Promise<T> =>
      Promise.race([
        new Promise<T>((resolve, reject) => take((error, value) => (error ? reject(error) : resolve(value)))),
        failed,
      ]);
    await step<void>((done) => connection.connect((error) => done(error, undefined)));
    if (user !== undefined && password !== undefined)
      await step<void>((done) => connection.login({ user, pass: password }, (error) => done(error, undefined)));
    const { accepted, rejected } = await step<SMTPConnection.SentMessageInfo>((done) =>
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
