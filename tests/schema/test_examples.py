"""The reconstructed schemas of the examples: whole, labelled, and of the shape that the literature tells."""

from __future__ import annotations

from io import BytesIO

import pytest
from lxml import etree

from tests.repository import ROOT
from xylem.schema import ElementGraph, Schema
from xylem.workload import DocumentParameters, documents

FOLDER = ROOT / "examples" / "schemas"


@pytest.mark.parametrize("name", ["psd.dtd", "treebank.dtd"])
def test_every_element_can_stand_in_a_document_of_the_one_root(name: str) -> None:
    schema = Schema.from_dtd(FOLDER / name)
    assert schema.problems == () and len(schema.roots) == 1
    assert len(ElementGraph.of(schema).reachable(schema.roots)) == len(schema)
    assert (FOLDER / name).read_text().startswith("<!-- A RECONSTRUCTION")


@pytest.mark.parametrize("name", ["psd.dtd", "treebank.dtd"])
def test_documents_of_it_are_valid(name: str) -> None:
    dtd = etree.DTD(str(FOLDER / name))
    for document in documents(Schema.from_dtd(FOLDER / name), DocumentParameters(count=5, seed=1)):
        assert dtd.validate(etree.parse(BytesIO(document))), dtd.error_log


def test_psd_is_seven_levels_deep_and_the_treebank_recursive() -> None:
    psd, treebank = (Schema.from_dtd(FOLDER / name) for name in ("psd.dtd", "treebank.dtd"))
    assert ElementGraph.of(psd).height(psd.roots) == 7
    assert psd.roots == ("ProteinDatabase",)
    (cycle,) = ElementGraph.of(treebank).cycles()
    assert {"S", "NP", "VP", "PP"} <= set(cycle)


def test_a_described_protein_entry_is_valid() -> None:
    entry = b"""<ProteinDatabase><ProteinEntry id="CCHU"><header><uid>CCHU</uid><accession>A31764</accession>
    <created_date>17-Mar-1987</created_date><seq-rev_date>17-Mar-1987</seq-rev_date><txt-rev_date>3-Mar-2000</txt-rev_date>
    </header><protein><name>cytochrome c</name></protein><organism><source>human</source><common>man</common>
    <formal>Homo sapiens</formal></organism><reference><refinfo refid="A31764"><authors><author>Evans, M.J.</author>
    </authors><citation type="journal">Proc. Natl. Acad. Sci. U.S.A.</citation><volume>85</volume><year>1988</year>
    <title>The human cytochrome c gene</title><xrefs><xref><db>MUID</db><uid>89071748</uid></xref></xrefs></refinfo>
    <accinfo><accession>A31764</accession><mol-type>DNA</mol-type><seq-spec>1-105</seq-spec></accinfo></reference>
    <genetics><gene><uid>GDB:CYCS</uid></gene><introns>56/1</introns></genetics><classification>
    <superfamily>cytochrome c</superfamily></classification><keywords><keyword>heme</keyword></keywords><feature>
    <feature-type>binding site</feature-type><description>heme</description><seq-spec>15,18</seq-spec></feature>
    <summary>
    <length>105</length><type>complete</type></summary><sequence>MGDVEK</sequence></ProteinEntry></ProteinDatabase>"""
    assert etree.DTD(str(FOLDER / "psd.dtd")).validate(etree.parse(BytesIO(entry)))
