import * as z from "zod";

/** Begins a conversation by the agent API, which takes one turn of the model. Returns its ID. */
export async function beginConversation(origin: string): Promise<string> {
  const response = await fetch(`${origin}/agent/chat`, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify({ message: "Hello", mode: "chat" }),
  });
  return z.object({ conversation_id: z.string().min(1) }).parse(await response.json()).conversation_id;
}
