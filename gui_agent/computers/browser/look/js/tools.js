// The tools that the page declares for agents (WebMCP), and calls of them. What they say is the page's word.
// This world's objects are not the page's, so the page cannot lift the limits here.
const MOST_TOOLS = 16;
const LONGEST_SCHEMA = 4000;
const LONGEST_DESCRIPTION = 400;
const LONGEST_ANSWER = 20000;
const ANSWER_WITHIN = 10000;
// Characters that hide text, and the brackets that mark text from outside for a model.
const FORGED = /[\p{Cc}\p{Cf}\u27e6\u27e7]/gu;
const ANY_INPUT = { type: "object", properties: {} };

async function declaredTools() {
  const told = (await document.modelContext?.getTools?.()) ?? [];
  const own = [...told].filter((tool) => tool.window === window);
  return own.map((tool) => ({
    tool,
    name: String(tool.name),
    description: String(tool.description ?? "").replace(FORGED, " ").slice(0, LONGEST_DESCRIPTION),
    schema: (JSON.stringify(tool.inputSchema ?? ANY_INPUT) ?? "").replace(FORGED, " "),
    type: tool.inputSchema ? tool.inputSchema.type : "object",
  }));
}

// The declared tools as JSON: those that can be offered.
async function pageTools() {
  try {
    const usable = ({ name, schema, type }) =>
      /^[\w-]{1,50}$/.test(name) && schema.length <= LONGEST_SCHEMA && type === "object";
    const offered = (await declaredTools()).filter(usable).slice(0, MOST_TOOLS);
    const birth = performance.timeOrigin;
    return JSON.stringify(
      offered.map(({ name, description, schema }) => ({ name, description, schema, birth: String(birth) })),
    );
  } catch {
    return "[]";
  }
}

// Calls a tool of an earlier list. Returns as JSON what it said, or why it failed. A call that leads to another page
// is asked there again, and not done a second time.
async function callPageTool(asked, given) {
  if (asked.birth !== String(performance.timeOrigin)) {
    return JSON.stringify({ said: "Another page is in front now; look at the screen." });
  }
  try {
    const found = (await declaredTools()).find(
      ({ name, description, schema }) =>
        name === asked.name && description === asked.description && schema === asked.schema,
    );
    if (!found) return JSON.stringify({ fault: "the page has changed or removed it" });
    const late = new Promise((end) => setTimeout(end, ANSWER_WITHIN));
    const said = await Promise.race([document.modelContext.executeTool(found.tool, given), late]);
    if (said === undefined) {
      return JSON.stringify({ fault: `it gave no answer within ${ANSWER_WITHIN / 1000} s; look at the screen` });
    }
    return JSON.stringify({ said: String(said ?? "It said nothing; look at the screen.").slice(0, LONGEST_ANSWER) });
  } catch (error) {
    return JSON.stringify({ fault: String(error?.message ?? error).slice(0, LONGEST_DESCRIPTION) });
  }
}
