"""Applies compiled Schematron to XML files and prints what it finds, one JSON object a line.

    python apply-rules.py FOLDER_OF_XSLT FOLDER_OF_XML

A file whose name contains `.xrechnung.` is checked by all style sheets of the folder, any other one
by those whose name does not contain `XRechnung`.
"""

import json
import pathlib
import sys
import xml.etree.ElementTree as tree

from saxonche import PySaxonProcessor

svrl = "{http://purl.oclc.org/dsdl/svrl}"
rules, documents = (pathlib.Path(argument) for argument in sys.argv[1:3])

with PySaxonProcessor(license=False) as processor:
    compiler = processor.new_xslt30_processor()
    sheets = [
        (sheet.name, compiler.compile_stylesheet(stylesheet_file=str(sheet)))
        for sheet in sorted(rules.iterdir())
        if sheet.suffix in (".xsl", ".xslt")
    ]
    for document in sorted(documents.glob("*.xml")):
        german = ".xrechnung." in document.name
        for name, sheet in sheets:
            if "xrechnung" in name.lower() and not german:
                continue
            report = tree.fromstring(sheet.transform_to_string(source_file=str(document)))
            fired = len(report.findall(f"{svrl}fired-rule"))
            print(json.dumps({"file": document.name, "sheet": name, "fired": fired}))
            for found in report.iter():
                if found.tag in (f"{svrl}failed-assert", f"{svrl}successful-report"):
                    text = " ".join("".join(found.itertext()).split())
                    print(json.dumps({"file": document.name, "rule": found.get("id"), "text": text}))
