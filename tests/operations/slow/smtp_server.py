"""A mail server (aiosmtpd) that takes, rejects, postpones or hangs, for the tests of mail.

Prints a line when it listens, then each mail that it has taken as a line of JSON.
"""

import argparse
import asyncio
import json
import ssl
import sys

from aiosmtpd.smtp import SMTP, AuthResult


class Handler:
    def __init__(self, mode):
        self.mode = mode
        self.asked = 0

    async def handle_RCPT(self, server, session, envelope, address, options):
        self.asked += 1
        if self.mode == "reject":
            return f"550 5.1.1 <{address}>: unknown recipient"
        if self.mode == "postpone" and self.asked == 1:
            return "451 4.7.1 Try again later"
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server, session, envelope):
        if self.mode == "hang":
            await asyncio.sleep(3600)
        mail = {
            "from": envelope.mail_from,
            "to": envelope.rcpt_tos,
            "content": envelope.original_content.decode("ascii"),
            "encrypted": server.transport.get_extra_info("sslcontext") is not None,
            "user": session.auth_data.decode() if session.auth_data else None,
            "hello": session.host_name,
        }
        print(json.dumps(mail), flush=True)
        return "250 2.0.0 Taken as 4711"


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("mode", choices=["take", "reject", "postpone", "hang"])
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--tls", choices=["implicit", "starttls"])
    parser.add_argument("--certificate")
    parser.add_argument("--key")
    parser.add_argument("--user", help="NAME:PASSWORD, which must sign in")
    options = parser.parse_args()
    context = None
    if options.tls:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(options.certificate, options.key)

    def authenticate(server, session, envelope, mechanism, data):
        is_right = f"{data.login.decode()}:{data.password.decode()}" == options.user
        # Not handled: the library replies 535.
        return AuthResult(success=is_right, handled=is_right, auth_data=data.login)

    handler = Handler(options.mode)

    def connection():
        return SMTP(
            handler,
            hostname="mail.test",
            tls_context=context if options.tls == "starttls" else None,
            require_starttls=options.tls == "starttls",
            authenticator=authenticate if options.user else None,
            auth_required=bool(options.user),
            auth_require_tls=False,
        )

    listener = await asyncio.get_running_loop().create_server(
        connection, "127.0.0.1", options.port, ssl=context if options.tls == "implicit" else None
    )
    print("listening", flush=True)
    async with listener:
        await listener.serve_forever()


try:
    asyncio.run(main())
except KeyboardInterrupt:
    sys.exit(0)
