import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";

const url = process.env.DUET_URL;
const duet = url
  ? { transport: "http", url }
  : { transport: "stdio", command: "duet", args: ["serve"], env: process.env };

export async function ask(question, signal) {
  const client = new MultiServerMCPClient({ mcpServers: { duet } });
  try {
    const agent = createAgent({ model: new ChatOpenAI({ model: "gpt-4.1" }), tools: await client.getTools() });
    const { messages } = await agent.invoke({ messages: [{ role: "user", content: question }] }, { signal });
    return messages.at(-1).text;
  } finally {
    await client.close();
  }
}
