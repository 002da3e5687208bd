// Passkeys: a form with data-passkey is hidden until the script runs in a browser that supports them. Submitting it asks
// the browser for a passkey, and sends what it responds.

const bytes = (text) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (character) => character.charCodeAt(0));

const text = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer))).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");

function optionsOf(form) {
  const options = JSON.parse(form.dataset.options);
  options.challenge = bytes(options.challenge);
  if (options.user) options.user.id = bytes(options.user.id);
  for (const listed of [...(options.allowCredentials ?? []), ...(options.excludeCredentials ?? [])]) {
    listed.id = bytes(listed.id);
  }
  return options;
}

function plain(credential) {
  const response = {};
  for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"]) {
    if (credential.response[name]) response[name] = text(credential.response[name]);
  }
  return JSON.stringify({ id: credential.id, rawId: text(credential.rawId), type: credential.type, response });
}

function send(form, credential) {
  form.elements.credential.value = plain(credential);
  form.submit();
}

function words(error) {
  if (error.name === "InvalidStateError") return "This device has a passkey for your account already.";
  if (error.name === "SecurityError") return "This address is not the one that passkeys of this service belong to.";
  return "No passkey was used. Try again, or choose another way.";
}

const forms = document.querySelectorAll("form[data-passkey]");
const isSupported = Boolean(window.PublicKeyCredential && navigator.credentials);
// A browser asks for one passkey at a time: a button ends the offer in the field for the username.
let offer = new AbortController();

for (const form of forms) {
  if (!isSupported) {
    document.querySelector("[data-no-passkeys]").hidden = false;
    continue;
  }
  form.hidden = false;
  const alert = form.querySelector("[data-failed]");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    alert.hidden = true;
    offer.abort();
    const publicKey = optionsOf(form);
    try {
      const isNew = form.dataset.passkey === "create";
      send(form, await (isNew ? navigator.credentials.create({ publicKey }) : navigator.credentials.get({ publicKey })));
    } catch (error) {
      alert.textContent = words(error);
      alert.hidden = false;
    }
  });
}

async function offerInField() {
  const form = document.querySelector('form[data-passkey="get"]');
  if (!form || !document.querySelector('input[autocomplete~="webauthn"]')) return;
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  const request = { publicKey: optionsOf(form), mediation: "conditional", signal: offer.signal };
  try {
    send(form, await navigator.credentials.get(request));
  } catch {
    // Aborted, or declined: the button is still there.
  }
}

if (isSupported) offerInField();
