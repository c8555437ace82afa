// A page to chat with the model.
"use client";
import { useChat } from "@ai-sdk/react";
import { useState } from "react";

function textOf({ parts, metadata }) {
  if (metadata?.veto) return `refused by ${metadata.veto.by}: ${metadata.veto.reason}`;
  return parts.map((part) => (part.type === "text" ? part.text : "")).join("");
}

export default function Page() {
  const { messages, sendMessage, status } = useChat();
  const [text, setText] = useState("");

  function send(event) {
    event.preventDefault();
    setText("");
    void sendMessage({ text });
  }

  return (
    <main>
      {messages.map((message) => (
        <p key={message.id}>
          {message.role}: {textOf(message)}
        </p>
      ))}
      <form onSubmit={send}>
        <label>
          Message <input value={text} onChange={({ target }) => setText(target.value)} />
        </label>
        <button disabled={text === "" || status !== "ready"}>Send</button>
      </form>
    </main>
  );
}
