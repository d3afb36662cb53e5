import { answer, pageParameters, pathParameter, problem, usualProblems } from "./parts.ts";

const id = pathParameter("id", "The conversation_id of a result.");

const none = problem("There is no such conversation of this caller's.");

/** The caller's conversations, and what a question is run with. */
export const conversationPaths = {
  "/agent/conversations": {
    get: {
      operationId: "listConversations",
      summary: "Lists the caller's conversations.",
      tags: ["conversations"],
      parameters: pageParameters,
      responses: {
        200: answer("A page of them.", "ConversationList"),
        400: problem("A number that is not allowed."),
        ...usualProblems,
      },
    },
  },
  "/agent/conversations/{id}": {
    get: {
      operationId: "readConversation",
      summary: "Reads a conversation: its turns, sources and runs.",
      tags: ["conversations"],
      parameters: [id],
      responses: { 200: answer("All of it.", "Conversation"), 404: none, ...usualProblems },
    },
    delete: {
      operationId: "deleteConversation",
      summary: "Cancels a conversation's runs and removes it with its sources and traces.",
      tags: ["conversations"],
      parameters: [id],
      responses: { 204: { description: "It is gone." }, 404: none, ...usualProblems },
    },
  },
  "/agent/settings": {
    get: {
      operationId: "readSettings",
      summary: "Tells what a question is run with that says nothing else, and what it may choose from.",
      tags: ["agent"],
      responses: { 200: answer("The settings in force.", "Settings"), ...usualProblems },
    },
  },
};
