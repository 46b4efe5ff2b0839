import { useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { useStream } from "@langchain/langgraph-sdk/react";

const given = new URLSearchParams(location.search);

function Chat() {
  const [threadId, setThreadId] = useState(null);
  const thread = useStream({
    apiUrl: given.get("api"),
    assistantId: "support",
    messagesKey: "messages",
    threadId,
    onThreadId: setThreadId,
    defaultHeaders: { Authorization: `Bearer ${given.get("token")}` },
  });
  const ask = (text) => thread.submit({ messages: [{ type: "human", content: text }] });
  useEffect(() => { ask(given.get("q")); }, []);
  return (
    <main style={{ font: "16px sans-serif", maxWidth: 760, margin: "24px auto" }}>
      {thread.messages.filter((m) => m.type !== "tool" && m.content).map((m) => (
        <p key={m.id} style={{ background: m.type === "human" ? "#e8f0fe" : "#f6f6f6", padding: 12, whiteSpace: "pre-wrap" }}>
          <b>{m.type}</b>: {typeof m.content === "string" ? m.content : JSON.stringify(m.content)}
        </p>
      ))}
      {thread.interrupt && (
        <section id="interrupt" style={{ border: "2px solid #c60", padding: 12 }}>
          <b>waits for approval</b>
          <pre style={{ whiteSpace: "pre-wrap" }}>{JSON.stringify(thread.interrupt.value, null, 2)}</pre>
        </section>
      )}
      {thread.error && <pre id="error">{String(thread.error)}</pre>}
      <small id="state">{thread.isLoading ? "running" : "done"} · thread {threadId}</small>
    </main>
  );
}
createRoot(document.getElementById("root")).render(<Chat />);
