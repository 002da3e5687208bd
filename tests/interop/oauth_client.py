"""Two OAuth clients for Python: Authlib and requests-oauthlib. Each as a public and as a confidential client.

    oauth_client.py LIBRARY KIND SERVICE USERNAME PASSWORD

Registers, signs in, calls the API, refreshes, tries a used refresh token, signs in again and revokes.
"""

import os
import sys
from typing import Any

import requests

from browser import agree

# The service is on this machine, without TLS.
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"

from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.requests_client import OAuth2Session as AuthlibSession
from oauthlib.oauth2.rfc6749.errors import OAuth2Error
from requests_oauthlib import OAuth2Session as RequestsSession

REDIRECT = "http://127.0.0.1:51004/callback"
SCOPES = "itineraries:read itineraries:write"
VERIFIER = "a verifier of more than forty-three characters".replace(" ", "-")


class Service:
    """The service's endpoints, and a registered client."""

    def __init__(self, address: str, kind: str) -> None:
        self.http = requests.Session()
        self.http.trust_env = False
        known = self.http.get(f"{address}/.well-known/oauth-authorization-server").json()
        self.authorise, self.token = known["authorization_endpoint"], known["token_endpoint"]
        self.revoke, self.api = known["revocation_endpoint"], f"{address}/v1/account"
        self.method = "none" if kind == "public" else "client_secret_basic"
        metadata = {
            "client_name": "Interop",
            "redirect_uris": [REDIRECT],
            "token_endpoint_auth_method": self.method,
        }
        registered = self.http.post(known["registration_endpoint"], json=metadata)
        registered.raise_for_status()
        self.client_id = registered.json()["client_id"]
        self.secret = registered.json().get("client_secret")

    def status(self, token: dict[str, Any]) -> int:
        headers = {"Authorization": f"Bearer {token['access_token']}"}
        return self.http.get(self.api, headers=headers).status_code


class Authlib:
    Refused = OAuthError

    def __init__(self, service: Service) -> None:
        self.service = service
        self.session = AuthlibSession(
            service.client_id,
            service.secret,
            scope=SCOPES,
            redirect_uri=REDIRECT,
            token_endpoint_auth_method=service.method,
            code_challenge_method="S256",
        )
        self.session.trust_env = False

    def link(self) -> str:
        link, self.session.state = self.session.create_authorization_url(self.service.authorise, code_verifier=VERIFIER)
        return link

    def redeem(self, back: str) -> dict[str, Any]:
        return self.session.fetch_token(self.service.token, authorization_response=back, code_verifier=VERIFIER)

    def refresh(self, token: dict[str, Any]) -> dict[str, Any]:
        return self.session.refresh_token(self.service.token, refresh_token=token["refresh_token"])

    def revoke(self, token: dict[str, Any]) -> int:
        answer = self.session.revoke_token(self.service.revoke, token["refresh_token"], "refresh_token")
        return answer.status_code


class RequestsOauthlib:
    Refused = OAuth2Error

    def __init__(self, service: Service) -> None:
        self.service = service
        self.session = RequestsSession(service.client_id, redirect_uri=REDIRECT, scope=SCOPES.split(), pkce="S256")
        self.session.trust_env = False
        # A public client sends its id in the form, a confidential one in the header.
        secret = service.secret
        self.proof = {"auth": (service.client_id, secret)} if secret else {"include_client_id": True}

    def link(self) -> str:
        return self.session.authorization_url(self.service.authorise)[0]

    def redeem(self, back: str) -> dict[str, Any]:
        return self.session.fetch_token(self.service.token, authorization_response=back, **self.proof)

    def refresh(self, token: dict[str, Any]) -> dict[str, Any]:
        proof = {"auth": self.proof["auth"]} if self.service.secret else {"client_id": self.service.client_id}
        return self.session.refresh_token(self.service.token, refresh_token=token["refresh_token"], **proof)

    def revoke(self, token: dict[str, Any]) -> int:
        client = self.session._client
        address, headers, body = client.prepare_token_revocation_request(
            self.service.revoke, token["refresh_token"], client_id=self.service.client_id
        )
        return self.service.http.post(address, data=body, headers=headers, auth=self.proof.get("auth")).status_code


LIBRARIES = {"authlib": Authlib, "requests-oauthlib": RequestsOauthlib}


def check(is_so: bool, what: str) -> None:
    if not is_so:
        raise SystemExit(what)


def main(library: str, kind: str, address: str, username: str, password: str) -> None:
    service = Service(address, kind)
    client = LIBRARIES[library](service)
    first = client.redeem(agree(client.link(), username, password))
    check(service.status(first) == 200, "the access token is not good")
    # Libraries modify their arguments.
    first = dict(first)
    second = dict(client.refresh(first))
    check(second["refresh_token"] != first["refresh_token"], "refreshing gives the old token again")
    check(service.status(second) == 200, "the refreshed access token is not good")
    try:
        client.refresh(first)
    except client.Refused as refusal:
        check(getattr(refusal, "error", "") == "invalid_grant", f"refused by {refusal}")
    else:
        raise SystemExit("a refresh token was good twice")
    check(service.status(second) == 401, "after a reuse the grant is still alive")
    client = LIBRARIES[library](service)
    third = dict(client.redeem(agree(client.link(), username, password)))
    check(service.status(third) == 200, "the access token of the second sign-in is not good")
    check(client.revoke(third) == 200, "revoking fails")
    check(service.status(third) == 401, "a revoked grant is still alive")


if __name__ == "__main__":
    main(*sys.argv[1:])
