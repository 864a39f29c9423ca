/**
 * What runs around the code of `code.run`, inside the sandbox, which shows no files: the workspace is data that is handed
 * in and handed back. Within reach of the code, so what comes back is believed no more than the code itself.
 */
export const workspaceProgram = `
import base64

class Workspace:
    def __init__(self, files):
        self._files = files
        self._written = {}

    def list(self, below="/"):
        folder = below if below.endswith("/") else below + "/"
        paths = {*self._files, *self._written}
        return sorted(p for p in paths if p == below or p.startswith(folder))

    def read_bytes(self, path):
        if path in self._written:
            return self._written[path].encode("utf-8")
        if path not in self._files:
            raise FileNotFoundError(path)
        content = self._files[path]
        if "text" in content:
            return content["text"].encode("utf-8")
        return base64.b64decode(content["base64"])

    def read_text(self, path):
        return self.read_bytes(path).decode("utf-8")

    def write_text(self, path, text):
        if not path.startswith("/work/"):
            raise PermissionError(path)
        if not isinstance(text, str):
            raise TypeError("text is needed")
        self._written[path] = text

def _run(source, files):
    workspace = Workspace(files)
    names = {"__name__": "code"}
    exec(compile(source, "code", "exec"), names)
    result = names["main"](workspace)
    return {"result": result, "written": workspace._written}
`;
