"""Reads and writes model files of softsearch with numpy alone; "go doc model" describes the format.

    import modelfile
    modelfile.write("model.safetensors", tensors, source_words, target_words)
    tensors, metadata = modelfile.read("model.safetensors")

tensors maps the names of the paper to arrays, such as attention.Wa to A×H; words are lists that begin
with </s> and <unk>. As a program, it prints what a file holds:

    python3 modelfile.py FILE
"""

import hashlib
import json
import struct
import sys

import numpy

TYPES = {"F32": numpy.dtype("<f4"), "I8": numpy.dtype("i1")}
JSON = ("config", "source_vocabulary", "target_vocabulary", "source_text", "target_text")


def write(path, tensors, source_words, target_words, order="update-first", **metadata):
    """Writes a model. metadata may have source_text and target_text, as read returns them, and score."""
    backward = "encoder.backward.W" in tensors
    config = {
        "kind": "search" if backward else "encdec",
        "order": order,
        "source_vocab": len(source_words),
        "target_vocab": len(target_words),
        "embedding": tensors["source.embedding"].shape[1],
        "hidden": tensors["decoder.U"].shape[0],
        "alignment": tensors["attention.Wa" if "attention.Wa" in tensors else "decoder.U"].shape[0],
        "maxout": tensors["output.Wo"].shape[1],
    }
    if "score" in metadata:  # dot or general
        config["score"] = metadata.pop("score")
    metadata.update(config=config, source_vocabulary=list(source_words), target_vocabulary=list(target_words))
    texts = {key: json.dumps(v) if key in JSON else v for key, v in metadata.items()}
    save(path, {**texts, "format": "softsearch 1"}, tensors)


def save(path, metadata, tensors):
    """Writes a safetensors file with the checksum that softsearch requires."""
    header, end = {"__metadata__": {"sha256": "0" * 64, **metadata}}, 0
    arrays = {name: numpy.ascontiguousarray(a, TYPES["F32"]) for name, a in tensors.items()}
    for name, a in arrays.items():
        header[name] = {"dtype": "F32", "shape": a.shape, "data_offsets": [end, end + a.nbytes]}
        end += a.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    file = b"".join([struct.pack("<Q", len(text)), text, *(a.tobytes() for a in arrays.values())])
    with open(path, "wb") as f:
        f.write(file.replace(b"0" * 64, hashlib.sha256(file).hexdigest().encode(), 1))


def read(path):
    """Returns the tensors, as float32, and the metadata of a model."""
    with open(path, "rb") as f:
        file = f.read()
    start = 8 + struct.unpack("<Q", file[:8])[0]
    header = json.loads(file[8:start])
    metadata = header.pop("__metadata__")
    digest = metadata.pop("sha256").encode()
    if hashlib.sha256(file.replace(digest, b"0" * 64, 1)).hexdigest().encode() != digest:
        raise ValueError(path + ": wrong checksum")
    tensors = {}
    for name, t in header.items():
        begin, end = t["data_offsets"]
        tensors[name] = numpy.frombuffer(file[start + begin : start + end], TYPES[t["dtype"]]).reshape(t["shape"])
    scales = {name: tensors.pop(name + ".scale") for name in list(tensors) if tensors[name].dtype == TYPES["I8"]}
    for name, scale in scales.items():  # of the rows of weights of int8
        tensors[name] = tensors[name] * scale[:, None]
    return tensors, {key: json.loads(v) if key in JSON else v for key, v in metadata.items()}


if __name__ == "__main__":
    tensors, metadata = read(sys.argv[1])
    print(metadata["config"], *(name + str(array.shape) for name, array in tensors.items()), sep="\n")
