import { commonProblems, describePathParameter, describeProblem, describeResponse, pageParameters } from "./parts.ts";

const id = describePathParameter("id", "The conversation_id of a result.");

const none = describeProblem("There is no such conversation of this caller's.");

/** The caller's conversations, and what a question is run with. */
export const conversationPaths = {
  "/agent/conversations": {
    get: {
      operationId: "listConversations",
      summary: "Lists the caller's conversations.",
      tags: ["conversations"],
      parameters: pageParameters,
      responses: {
        200: describeResponse("A page of them.", "ConversationList"),
        400: describeProblem("A number that is not allowed."),
        ...commonProblems,
      },
    },
  },
  "/agent/conversations/{id}": {
    get: {
      operationId: "readConversation",
      summary: "Reads a conversation: its turns, sources and runs.",
      tags: ["conversations"],
      parameters: [id],
      responses: { 200: describeResponse("All of it.", "Conversation"), 404: none, ...commonProblems },
    },
    delete: {
      operationId: "deleteConversation",
      summary: "Cancels a conversation's runs and removes it with its sources and traces.",
      tags: ["conversations"],
      parameters: [id],
      responses: { 204: { description: "It is gone." }, 404: none, ...commonProblems },
    },
  },
  "/agent/settings": {
    get: {
      operationId: "readSettings",
      summary: "Tells what a question is run with that says nothing else, and what it may choose from.",
      tags: ["agent"],
      responses: { 200: describeResponse("The settings in force.", "Settings"), ...commonProblems },
    },
  },
};
