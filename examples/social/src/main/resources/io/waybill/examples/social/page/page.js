"use strict";

// Every text of the shop is hostile: it reaches the page only as textContent.

const COLUMNS = {
  users: [
    ["source", ["_id", "version", "status", "role", "display_name"]],
    ["projection", ["entity_version", "status", "role", "display_name", "follower_count", "total_orders", "communities_joined"]],
  ],
  orders: [
    ["source", ["order_number", "version", "status", "payment_status", "total_cents"]],
    ["projection", ["entity_version", "status", "payment_status", "item_count", "total_cents", "delivered_at"]],
  ],
  posts: [
    ["source", ["_id", "version", "status", "title", "like_count"]],
    ["projection", ["entity_version", "visible", "title", "like_count", "pinned", "global"]],
  ],
  products: [
    ["source", ["_id", "version", "status", "title", "price_cents"]],
    ["projection", ["entity_version", "visible", "title", "price_cents"]],
  ],
  promotions: [
    ["source", ["_id", "version", "status", "title"]],
    ["projection", ["entity_version", "visible", "title"]],
  ],
};

const PLAIN = {
  funnel: ["day", "created", "payment_initiated", "payment_succeeded", "payment_failed", "confirmed", "cancelled", "completed",
    "payment_success_rate", "confirmation_rate", "completion_rate"],
  revenue: ["day", "gross_cents", "refunded_cents", "net_cents"],
  deadLetters: ["failed_at", "consumer_group", "event_id", "error"],
};

function element(name, text) {
  const created = document.createElement(name);
  if (text !== undefined && text !== null) {
    created.textContent = typeof text === "number" && !Number.isInteger(text) ? text.toFixed(2) : String(text);
  }
  return created;
}

function row(cellName, values) {
  const line = element("tr");
  values.forEach(value => line.append(element(cellName, value)));
  return line;
}

function showPairs(id, pairs) {
  const columns = COLUMNS[id];
  const names = columns.flatMap(([side, fields]) => fields.map((field, i) => (i === 0 ? side + ": " : "") + field));
  const lines = pairs.map(pair => {
    const line = row("td", columns.flatMap(([side, fields]) => fields.map(field => (pair[side] || {})[field])));
    line.classList.toggle("late", !pair.projection || pair.projection.entity_version !== pair.source.version);
    return line;
  });
  document.getElementById(id).replaceChildren(row("th", names), ...lines);
}

function showRows(id, rows) {
  document.getElementById(id).replaceChildren(
    row("th", PLAIN[id]), ...rows.map(values => row("td", PLAIN[id].map(field => values[field]))));
}

async function command(action, name) {
  say(action + " of " + name + " …");
  const answer = await fetch("/api/" + action + "/" + encodeURIComponent(name), {
    method: "POST", headers: { "X-Social-Command": "page" } });
  const body = await answer.json();
  say(answer.ok ? action + " of " + name + " is done" : body.error);
}

let note = "";

function say(text) {
  note = text;
  document.getElementById("status").textContent = text;
}

function showGroups(groups) {
  const table = document.getElementById("groups");
  if (table.rows.length !== groups.length + 1) {
    table.replaceChildren(row("th", ["group", "waiting events", "dead letters", ""]), ...groups.map(group => {
      const line = row("td", [group.group, "", ""]);
      const buttons = element("td");
      for (const action of group.copiesSource ? ["rebuild", "backfill"] : ["rebuild"]) {
        const button = element("button", action);
        button.addEventListener("click", () => command(action, group.name));
        buttons.append(button);
      }
      line.append(buttons);
      return line;
    }));
  }
  groups.forEach((group, i) => {
    table.rows[i + 1].cells[1].textContent = group.waiting;
    table.rows[i + 1].cells[2].textContent = group.deadLetters;
  });
}

async function refresh() {
  try {
    const answer = await fetch("/api/state");
    const state = await answer.json();
    if (!answer.ok) {
      throw new Error(state.error);
    }
    document.getElementById("status").textContent = state.pending + " events in the outbox wait for the relay. " + note;
    showGroups(state.groups);
    Object.keys(COLUMNS).forEach(id => showPairs(id, state[id]));
    Object.keys(PLAIN).forEach(id => showRows(id, state[id]));
  } catch (e) {
    document.getElementById("status").textContent = "The example does not answer: " + e.message;
  }
  setTimeout(refresh, 1000);
}

refresh();
