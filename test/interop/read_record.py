"""Reads a record as a stranger would: with the field's own libraries and nothing of this project.

Arguments: record.json (`{"record": …}` or a record) and keys.json. Prints the statement's type, predicate type and first
subject as JSON; ends with 1 when a signature does not hold.
"""

import base64
import json
import sys

from cryptography.hazmat.primitives.asymmetric import ec, utils
from google.protobuf import json_format
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.statement import Statement
from securesystemslib.dsse import Envelope
from securesystemslib.exceptions import VerificationError
from securesystemslib.signer import SSlibKey


def number(text):
    return int.from_bytes(decode_url(text), "big")


def decode_url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def to_key(jwk, keyid):
    if jwk["kty"] == "OKP":
        return SSlibKey(keyid, "ed25519", "ed25519", {"public": decode_url(jwk["x"]).hex()})
    numbers = ec.EllipticCurvePublicNumbers(number(jwk["x"]), number(jwk["y"]), ec.SECP256R1())
    return SSlibKey.from_crypto(numbers.public_key(), keyid=keyid)


def to_envelope(envelope):
    """Signatures of P-256 are raw r ‖ s in a record; this library wants them in DER."""
    signatures = {}
    for signature in envelope["signatures"]:
        raw = base64.b64decode(signature["sig"])
        if signature["keyid"].startswith("es256:"):
            raw = utils.encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
        signatures[signature["keyid"]] = {"keyid": signature["keyid"], "sig": base64.b64encode(raw).decode()}
    return Envelope.from_dict({**envelope, "signatures": list(signatures.values())})


def main(record_path, keys_path):
    with open(record_path, encoding="utf-8") as file:
        given = json.load(file)
    record = given.get("record", given)
    with open(keys_path, encoding="utf-8") as file:
        keys = [to_key(jwk, jwk["kid"]) for jwk in json.load(file)["keys"]]
    if "delegation" in record:
        delegation = to_envelope(record["delegation"])
        delegation.verify(keys, 1)
        said = json.loads(delegation.payload)
        keyid = record["envelope"]["signatures"][0]["keyid"]
        keys = [to_key(said["key"], keyid)]
    envelope = to_envelope(record["envelope"])
    envelope.verify(keys, 1)
    read = json_format.Parse(envelope.payload, statement_pb2.Statement())
    statement = Statement.copy_from_pb(read)
    statement.validate()
    subject = read.subject[0]
    print(
        json.dumps(
            {
                "type": read.type,
                "predicate_type": read.predicate_type,
                "name": subject.name,
                "sha256": subject.digest["sha256"],
                "verdict": json_format.MessageToDict(read.predicate)["verdict"],
            }
        )
    )


if __name__ == "__main__":
    try:
        main(*sys.argv[1:])
    except VerificationError as error:
        sys.exit(f"refused: {error}")
