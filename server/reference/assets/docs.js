// The reference pages: the search while typing, signing in with PKCE, and sending requests. The pages work without it,
// except for the last two.
"use strict";

(() => {
  /** What is kept in this tab: the token, a sign-in in progress, itineraries with their ETags, and the language of samples. */
  const TOKEN = "docs.token";
  const SIGN_IN = "docs.sign-in";
  const SEEN = "docs.seen";
  const LANGUAGE = "docs.language";
  /** How many itineraries are suggested. */
  const MOST_SEEN = 30;
  /** How many entries of a kind the search shows beside the page. */
  const MOST_FOUND = 12;
  /** How many characters of a response are shown. */
  const LONGEST_BODY = 200_000;

  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => [...within.querySelectorAll(selector)];

  const load = (key) => {
    try {
      return JSON.parse(sessionStorage.getItem(key));
    } catch {
      return null;
    }
  };
  const keep = (key, value) => {
    try {
      sessionStorage.setItem(key, JSON.stringify(value));
    } catch {
      // The tab's storage is full or blocked. The page works on, without memory.
    }
  };
  const forget = (key) => {
    try {
      sessionStorage.removeItem(key);
    } catch {
      // Nothing was kept.
    }
  };

  /** The token of this tab, unless it has expired. */
  const token = () => {
    const kept = load(TOKEN);
    return kept && kept.expires > Date.now() ? kept : null;
  };

  // ---- the search ----

  const search = one("#search");
  const menu = one(".menu");
  const wide = matchMedia("(min-width: 60rem)");

  /** The kinds of entries besides operations, each entry with its text in lower case. Read when a search begins. */
  let index = null;
  const readIndex = async () => {
    try {
      const kinds = await (await fetch("/docs/search.json", { credentials: "omit" })).json();
      for (const kind of kinds) {
        kind.entries = kind.entries.map(([name, href, about, words]) => {
          const [named, text] = [name, `${name} ${about} ${words}`].map((it) => it.toLowerCase());
          return { name, href, about, named, text };
        });
      }
      return kinds;
    } catch {
      return [];
    }
  };

  /** The entries of a kind with all words, those with a matching name first. */
  const matching = (entries, words) => {
    const has = (text) => words.every((word) => text.includes(word));
    const found = entries.filter((entry) => has(entry.text));
    return [...found.filter((entry) => has(entry.named)), ...found.filter((entry) => !has(entry.named))];
  };

  const make = (name, properties, ...children) => {
    const element = Object.assign(document.createElement(name), properties);
    element.append(...children);
    return element;
  };

  /** The entries of a kind as a part of the menu. */
  const shownKind = (title, found) => {
    const lines = found.slice(0, MOST_FOUND).map(({ name, href, about }) =>
      make("li", {}, make("a", { href, title: about }, name)));
    const heading = found.length > MOST_FOUND ? `${title} (${MOST_FOUND} of ${found.length})` : title;
    return make("details", { open: true }, make("summary", {}, heading), make("ul", {}, ...lines));
  };

  if (search) {
    one(".search button").hidden = true;
    const lines = all("[data-words]").map((line) => [line, `${line.dataset.words} ${line.textContent}`.toLowerCase()]);
    const groups = all(".menu details, .page .tag").map((group) => [group, group.open]);

    /** Hides the operations without the words. Returns how many are left. */
    const filter = (words) => {
      for (const [line, text] of lines) line.hidden = !words.every((word) => text.includes(word));
      for (const [group, wasOpen] of groups) {
        const found = all("[data-words]", group).some((line) => !line.hidden);
        group.hidden = !found;
        if ("open" in group) group.open = words.length ? found : wasOpen;
      }
      return all(".side [data-words]").filter((line) => !line.hidden).length;
    };

    const run = async () => {
      const text = search.value.trim();
      const words = text.toLowerCase().split(/\s+/).filter(Boolean);
      const operations = filter(words);
      one(".tops").hidden = words.length > 0;
      menu.open = wide.matches || words.length > 0;
      const kinds = words.length ? await (index ??= readIndex()) : [];
      if (search.value.trim() !== text) return;
      const found = kinds.map(({ title, entries }) => [title, matching(entries, words)]).filter(([, list]) => list.length);
      const count = found.reduce((sum, [, list]) => sum + list.length, operations);
      one("#found").replaceChildren(...found.map(([title, list]) => shownKind(title, list)));
      one("#found").hidden = !found.length;
      menu.hidden = words.length > 0 && !operations;
      const results = count === 1 ? "1 result" : `${count} results`;
      one("#matches").textContent = !words.length ? "" : count ? `${results}. Enter shows all.` : `Nothing matches “${text}”.`;
    };
    search.addEventListener("input", run);
    menu.open = wide.matches;
    wide.addEventListener("change", () => {
      menu.open = wide.matches || search.value.trim() !== "";
    });
  }
  const current = one(".side [aria-current=page]");
  if (current && wide.matches) {
    const side = one(".side");
    side.scrollTop = current.offsetTop - side.clientHeight / 2;
  }

  // Samples are in the language that was last opened.
  const languages = all(".language");
  const chosen = load(LANGUAGE);
  for (const part of languages) {
    if (chosen && languages.some((other) => other.dataset.language === chosen)) part.open = part.dataset.language === chosen;
    part.addEventListener("toggle", () => {
      if (part.open) keep(LANGUAGE, part.dataset.language);
    });
  }

  for (const sample of all("pre.sample")) {
    if (!navigator.clipboard) break;
    const button = Object.assign(document.createElement("button"), { type: "button", className: "copy", textContent: "Copy" });
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(sample.textContent);
        button.textContent = "Copied";
      } catch {
        button.textContent = "Not copied";
      }
    });
    sample.after(button);
  }

  // ---- signing in ----

  const base64 = (bytes) =>
    btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const random = () => base64(crypto.getRandomValues(new Uint8Array(32)));

  const panel = one("#sign-in");
  const trial = one("#trial");

  const complain = (text) => {
    const alert = one(".alert", panel);
    alert.textContent = text;
    alert.hidden = !text;
    one(".notice", panel).hidden = true;
  };

  const showSignIn = () => {
    if (!panel) return;
    const { needed } = panel.dataset;
    const held = token();
    panel.hidden = false;
    one("h3", panel).textContent = held ? "Signed in" : "Sign in";
    one(".out", panel).hidden = Boolean(held);
    one(".in", panel).hidden = !held;
    if (!held) return;
    const until = new Date(held.expires).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
    one(".in [role=status]", panel).textContent = `Until ${until}, with the scopes ${held.scope.replaceAll(" ", ", ")}.`;
    const lacks = needed && !held.scope.split(" ").includes(needed);
    one(".in .hint", panel).textContent = lacks
      ? `This operation needs the scope ${needed}. Sign out, and sign in with it.`
      : "";
  };

  const begin = async (scopes) => {
    const { base, client, redirect } = panel.dataset;
    if (location.origin !== new URL(base).origin) {
      complain(`Signing in works on the server's own address: open ${base}/docs.`);
      return;
    }
    if (!crypto.subtle) {
      complain("The browser signs in only over https or on this machine.");
      return;
    }
    if (!scopes.length) {
      complain("Choose at least one scope.");
      return;
    }
    const [verifier, state] = [random(), random()];
    const challenge = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
    const values = trial ? all("[id]", trial).filter((field) => field.type !== "file").map((field) => [field.id, field.value]) : [];
    // A path that begins with two slashes would lead to another host.
    const back = location.pathname.replace(/^\/+/, "/");
    keep(SIGN_IN, { verifier, state, base, back, values });
    const query = new URLSearchParams({
      response_type: "code",
      client_id: client,
      redirect_uri: base + redirect,
      scope: scopes.join(" "),
      state,
      code_challenge: base64(new Uint8Array(challenge)),
      code_challenge_method: "S256",
    });
    location.assign(`/oauth/authorise?${query}`);
  };

  const signOut = async () => {
    const held = token();
    forget(TOKEN);
    complain("");
    showSignIn();
    if (!held) return;
    const body = new URLSearchParams({ client_id: panel.dataset.client, token: held.token });
    try {
      const response = await fetch("/oauth/revoke", { method: "POST", body, credentials: "omit" });
      if (!response.ok) throw new Error(String(response.status));
      one(".notice", panel).textContent = "Signed out. The token is revoked.";
      one(".notice", panel).hidden = false;
    } catch {
      complain("The token could not be revoked. Disconnect “Reference pages” on the page of connected apps.");
    }
  };

  if (panel) {
    one(".out", panel).addEventListener("submit", (event) => {
      event.preventDefault();
      begin(all("[name=scope]:checked", panel).map((box) => box.value));
    });
    one(".in button", panel).addEventListener("click", signOut);
    showSignIn();
  }

  /** Ends a sign-in: exchanges the code and goes back. */
  const finish = async (place) => {
    const say = (text) => {
      one("h1", place).textContent = "Not signed in";
      one("[role=status]", place).textContent = text;
    };
    const answer = new URLSearchParams(location.search);
    const begun = load(SIGN_IN);
    // The code must not stay in the history.
    history.replaceState(null, "", location.pathname);
    if (!begun || answer.get("state") !== begun.state || answer.get("iss") !== begun.base) {
      say("This sign-in was not started in this tab, or is finished. Start again from the reference.");
      return;
    }
    one("a", place).href = begun.back;
    if (!answer.get("code")) {
      forget(SIGN_IN);
      say(answer.get("error") === "access_denied" ? "You did not allow the access." : "The server rejected the sign-in.");
      return;
    }
    const body = new URLSearchParams({
      grant_type: "authorization_code",
      code: answer.get("code"),
      redirect_uri: begun.base + place.dataset.redirect,
      client_id: place.dataset.client,
      code_verifier: begun.verifier,
    });
    try {
      const response = await fetch("/oauth/token", { method: "POST", body, credentials: "omit" });
      const tokens = await response.json();
      if (!response.ok) throw new Error(tokens.error_description || tokens.error);
      // The refresh token is not kept: a sign-in lasts as long as its first token.
      keep(TOKEN, { token: tokens.access_token, scope: tokens.scope, expires: Date.now() + tokens.expires_in * 1000 });
      keep(SIGN_IN, { values: begun.values, back: begun.back });
      location.replace(`${begun.back}${begun.back === "/docs" ? "#sign-in" : "#try"}`);
    } catch (error) {
      forget(SIGN_IN);
      say(`The code could not be exchanged: ${error.message}`);
    }
  };

  const ending = one("#signed-in");
  if (ending) finish(ending);

  // ---- sending requests ----

  /** Itineraries of earlier responses, the newest first, with the ETags that were last read. */
  const seen = () => load(SEEN) || [];
  const see = (id, changes) => {
    const known = seen().find((itinerary) => itinerary.id === id);
    const rest = seen().filter((itinerary) => itinerary.id !== id);
    keep(SEEN, [{ ...known, id, ...changes }, ...rest].slice(0, MOST_SEEN));
  };

  const uuid = () => {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
  };

  const setUp = () => {
    const { method, path } = trial.dataset;
    const field = (place, name) => one(`[data-place=${place}][data-name="${name}"]`, trial);
    const id = path.startsWith("/v1/itineraries/{id}") ? field("path", "id") : null;
    const match = field("header", "If-Match");
    const key = field("header", "Idempotency-Key");
    let lastSent = null;

    const offerVersion = () => {
      const known = id && seen().find((itinerary) => itinerary.id === id.value.trim());
      if (match) match.value = known?.etag ?? "";
    };
    const offerItineraries = () => {
      if (!id) return;
      one("#itineraries")?.remove();
      const list = Object.assign(document.createElement("datalist"), { id: "itineraries" });
      for (const itinerary of seen()) {
        list.append(Object.assign(document.createElement("option"), { value: itinerary.id, label: itinerary.title ?? "" }));
      }
      trial.append(list);
      id.setAttribute("list", "itineraries");
      id.value ||= seen()[0]?.id ?? "";
    };

    offerItineraries();
    offerVersion();
    id?.addEventListener("input", offerVersion);
    if (key) key.value = uuid();
    const begun = load(SIGN_IN);
    if (begun && begun.back === location.pathname) {
      for (const [name, value] of begun.values) {
        const kept = document.getElementById(name);
        if (kept && value && trial.contains(kept)) kept.value = value;
      }
      if (token()) forget(SIGN_IN);
    }

    const address = () => {
      let filled = path;
      for (const input of all("[data-place=path]", trial)) {
        const value = input.value.trim();
        // A browser would resolve these as parts of a relative path.
        if (value === "." || value === "..") throw new Error(`${input.dataset.name} must not be ${value}`);
        filled = filled.replace(`{${input.dataset.name}}`, encodeURIComponent(value));
      }
      const query = new URLSearchParams();
      for (const input of all("[data-place=query]", trial)) {
        if (input.value) query.append(input.dataset.name, input.value);
      }
      return query.size ? `${filled}?${query}` : filled;
    };

    const body = (headers) => {
      const text = one("textarea", trial);
      if (text) {
        if (!text.value.trim()) return undefined;
        headers.set("Content-Type", text.dataset.media);
        return text.value;
      }
      const pairs = all("[data-pair]", trial).filter((input) => input.value);
      if (pairs.length) return new URLSearchParams(pairs.map((input) => [input.dataset.pair, input.value]));
      const parts = all("[data-part]", trial).filter((input) => input.value);
      if (!parts.length) return undefined;
      const form = new FormData();
      // The file goes last, because the server reads the form as a stream.
      parts.sort((left, right) => (left.type === "file") - (right.type === "file"));
      for (const input of parts) {
        if (input.type === "file") form.append(input.dataset.part, input.files[0]);
        else if ("json" in input.dataset) form.append(input.dataset.part, new Blob([input.value], { type: "application/json" }));
        else form.append(input.dataset.part, input.value);
      }
      return form;
    };

    const request = () => {
      const url = address();
      const headers = new Headers();
      if (path === "/mcp") headers.set("Accept", "application/json, text/event-stream");
      const sent = body(headers);
      const print = JSON.stringify([url, typeof sent === "string" ? sent : null, match?.value]);
      // A key names one request: another request gets another key, the same one keeps it.
      if (key && lastSent && lastSent.key === key.value && lastSent.print !== print) key.value = uuid();
      lastSent = { print, key: key?.value };
      for (const input of all("[data-place=header]", trial)) {
        if (input.value.trim()) headers.set(input.dataset.name, input.value.trim());
      }
      const held = token();
      if ("token" in trial.dataset && held) headers.set("Authorization", `Bearer ${held.token}`);
      return [url, { method, headers, body: sent, credentials: "omit", redirect: "manual", cache: "no-store" }];
    };

    const learn = (response, value) => {
      if (method === "DELETE" && path === "/v1/itineraries/{id}" && response.ok) {
        keep(SEEN, seen().filter((itinerary) => itinerary.id !== id.value.trim()));
        return;
      }
      if (!response.ok || !value) return;
      const located = response.headers.get("Location")?.match(/^\/v1\/itineraries\/([^/]+)$/)?.[1];
      const about = located ?? id?.value.trim();
      const etag = response.headers.get("ETag");
      if (about && etag) see(about, value.title && value.id === about ? { etag, title: value.title } : { etag });
      if (path === "/v1/itineraries" && method === "GET" && Array.isArray(value.data)) {
        for (const { id, title } of value.data.toReversed()) see(id, { title });
      }
      offerItineraries();
      if (etag) offerVersion();
    };

    const result = one("#result");
    const show = (headline, isGood, note, headers, text) => {
      const status = one(".status", result);
      status.textContent = headline;
      status.classList.toggle("good", isGood);
      one("[role=status]", result).textContent = note;
      one("code.headers", result).textContent = headers;
      one("code.body", result).textContent = text;
      one("details", result).hidden = !headers;
      all(":scope > pre", result)[0].hidden = !text;
      result.hidden = false;
    };

    const readable = async (response) => {
      const media = response.headers.get("Content-Type") ?? "";
      const size = (await response.clone().blob()).size;
      if (!size) return ["", null];
      if (!/json|text\//.test(media)) return [`${size} bytes of ${media || "an unknown type"}`, null];
      const text = await response.text();
      let value = null;
      let shown = text;
      if (media.includes("json")) {
        try {
          value = JSON.parse(text);
          shown = JSON.stringify(value, null, 2);
        } catch {
          // Shown as it is.
        }
      }
      const cut = shown.length > LONGEST_BODY;
      return [cut ? `${shown.slice(0, LONGEST_BODY)}\n… ${shown.length - LONGEST_BODY} more characters` : shown, value];
    };

    trial.addEventListener("submit", async (event) => {
      event.preventDefault();
      if ("token" in trial.dataset && !token()) {
        showSignIn();
        complain("This operation needs a token. Sign in first.");
        panel.scrollIntoView();
        return;
      }
      const button = one("button[type=submit]", trial);
      button.disabled = true;
      const began = performance.now();
      try {
        const [url, options] = request();
        const response = await fetch(url, options);
        const [text, value] = await readable(response);
        const took = Math.round(performance.now() - began);
        const headers = [...response.headers].map(([name, content]) => `${name}: ${content}`).join("\n");
        show(`${response.status}`, response.ok, `${method} ${url} took ${took} ms${text ? "." : ", without a body."}`, headers, text);
        learn(response, value);
        if (response.status === 401 && "token" in trial.dataset) {
          forget(TOKEN);
          showSignIn();
          complain("The token is no longer valid. Sign in again.");
        }
      } catch (error) {
        show("not sent", false, `The request could not be sent: ${error.message}`, "", "");
      } finally {
        button.disabled = false;
      }
    });
    trial.hidden = false;
  };

  if (trial) setUp();
  // The sections above have changed their height.
  if (location.hash && (panel || trial)) document.getElementById(location.hash.slice(1))?.scrollIntoView();
})();
