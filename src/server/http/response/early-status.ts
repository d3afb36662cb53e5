import { ProtocolErrorCode } from "@modelcontextprotocol/server";
import { isRecord } from "../../../kit/json.ts";

/** How long a head waits for the first event, in milliseconds: what needs nobody has answered by then. */
const patienceMs = 20;

/**
 * A request that needs what its client cannot do MUST be answered with status 400 (2026-07-28, `MissingRequiredClientCapability`), but
 * the package has promised a stream by the time it says so. So the head waits for the first event, for a moment.
 */
export async function withEarlyStatus(response: Response): Promise<Response> {
  const { body, headers } = response;
  if (body === null || !headers.get("content-type")?.startsWith("text/event-stream")) return response;
  const reader = body.getReader();
  const first = reader.read();
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), patienceMs);
  const early = await Promise.race([first, late.promise]).finally(() => clearTimeout(timer));
  const refusal = early?.value && refusalIn(Buffer.from(early.value).toString("utf8"));
  if (refusal !== undefined) {
    await reader.cancel();
    return Response.json(refusal, { status: 400 });
  }
  let next: typeof first | undefined = first;
  const rest = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await (next ?? reader.read());
      next = undefined;
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(rest, { status: response.status, headers });
}

function refusalIn(event: string): object | undefined {
  const data = /^data: (\{.*\})$/m.exec(event)?.[1];
  // Of a long stream nothing but its first line would be read twice, and answers never.
  if (data === undefined || !data.includes(String(ProtocolErrorCode.MissingRequiredClientCapability))) return undefined;
  const message: unknown = JSON.parse(data);
  const isRefusal =
    isRecord(message) &&
    isRecord(message.error) &&
    message.error.code === ProtocolErrorCode.MissingRequiredClientCapability;
  return isRefusal ? message : undefined;
}
