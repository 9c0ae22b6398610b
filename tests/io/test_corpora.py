"""Layouts of the corpora and tools in use, rebuilt: each is read correctly without any settings."""

import json

import pytest

from spcviz.engine.errors import ArgumentError
from spcviz.io import read_conll
from spcviz.problems.own_data.model.files import read

LATIN = "latin-1"
CONLL_2009 = (
    "1\tFrom\tfrom\tfrom\tIN\tIN\t_\t_\t3\t3\tTMP\tTMP\t_\t_\t_\n"
    "2\tthe\tthe\tthe\tDT\tDT\t_\t_\t1\t1\tNMOD\tNMOD\t_\t_\t_\n"
    "3\tsaid\tsay\tsay\tVBD\tVBD\t_\t_\t0\t0\tROOT\tROOT\tY\tsay.01\t_\n\n"
    "1\tNo\tno\tno\tDT\tDT\t_\t_\t2\t2\tNMOD\tNMOD\t_\t_\n"
    "2\tway\tway\tway\tNN\tNN\t_\t_\t0\t0\tROOT\tROOT\t_\t_\n\n"
)
CONLL_U = (
    "# newdoc id = weblog\n# sent_id = 1\n# text = Don't go to it.\n"
    "1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_\n"
    "1\tDo\tdo\tAUX\tVB\tMood=Imp\t3\taux\t3:aux\t_\n2\tn't\tnot\tPART\tRB\t_\t3\tadvmod\t_\t_\n"
    "3\tgo\tgo\tVERB\tVB\t_\t0\troot\t_\t_\n3.1\tgo\tgo\tVERB\t_\t_\t_\t_\t0:root\tCopyOf=3\n"
    '4\t"\t"\tPUNCT\t``\t_\t3\tpunct\t_\tSpaceAfter=No\n\n'
)
PARSEME = (
    "# global.columns = ID FORM LEMMA UPOS XPOS FEATS HEAD DEPREL DEPS MISC PARSEME:MWE\n"
    "# source_sent_id = . . 1\n# text = Ana gives up\n"
    "1\tAna\tAna\tPROPN\t_\t_\t2\tnsubj\t_\t_\t*\n2\tgives\tgive\tVERB\t_\t_\t0\troot\t_\t_\t1:VPC.full\n"
    "3\tup\tup\tADP\t_\t_\t2\tcompound:prt\t_\t_\t1\n\n"
)
LABEL_STUDIO = [
    {
        "id": 8,
        "annotations": [
            {"id": 1, "was_cancelled": True, "result": []},
            {
                "id": 9, "completed_by": 1, "was_cancelled": False, "lead_time": 3.2, "prediction": {},
                "result": [
                    {"value": {"start": 0, "end": 5, "text": "Maria", "labels": ["PER"]}, "id": "a",
                     "from_name": "label", "to_name": "text", "type": "labels", "origin": "manual"},
                    {"value": {"choices": ["news"]}, "type": "choices", "from_name": "c", "to_name": "text"},
                    {"from_id": "a", "to_id": "b", "type": "relation", "direction": "right", "labels": ["x"]},
                ],
            },
        ],
        "drafts": [], "predictions": [], "data": {"text": "Maria lives in Oslo."}, "meta": {}, "inner_id": 1,
    },
    {"id": 9, "annotations": [], "predictions": [], "data": {"text": "Nobody has read this."}},
]  # fmt: skip
MARIA = [["Maria", "lives", "in", "Oslo", "."]]
IN_CELL = '"[{""start"":0,""end"":5,""text"":""Maria"",""labels"":[""PER""]}]"'

CORPORA = {
    "CoNLL-2000": (
        "Confidence NN B-NP\nin IN B-PP\n# # I-NP\n\nIt PRP B-NP\n\n",
        [["Confidence", "in", "#"], ["It"]], [["B-NP", "B-PP", "I-NP"], ["B-NP"]],
    ),
    "CoNLL-2002, Spanish": (
        "Melbourne NP B-LOC\n( Fpa O\nma\xf1ana NC O\n\nEl DA O\n".encode(LATIN),
        [["Melbourne", "(", "ma\xf1ana"], ["El"]], [["B-LOC", "O", "O"], ["O"]],
    ),
    "CoNLL-2002, Dutch": (
        ("-DOCSTART- -DOCSTART- O\nDe Art O\nDirk N B-PER\nCo\xebn N I-PER\n\n"
         "-DOCSTART- -DOCSTART- O\nIn Prep O\n").encode(LATIN),
        [["De", "Dirk", "Co\xebn"], ["In"]], [["O", "B-PER", "I-PER"], ["O"]],
    ),
    "CoNLL-2002, two columns": (
        "Wolff B-PER\n, O\nin O\n\nDel B-PER\nBosque I-PER\n",
        [["Wolff", ",", "in"], ["Del", "Bosque"]], [["B-PER", "O", "O"], ["B-PER", "I-PER"]],
    ),
    "CoNLL-2003": (
        "-DOCSTART- -X- O O\n\nEU NNP I-NP I-ORG\nrejects VBZ I-VP O\n\nPeter NNP I-NP I-PER\n",
        [["EU", "rejects"], ["Peter"]], [["I-ORG", "O"], ["I-PER"]],
    ),
    "CoNLL-2003, German": (
        ("-DOCSTART- -X- -X- -X- O\n\nSchartau <unknown> NE I-NC I-PER\n"
         "f\xfcr f\xfcr APPR I-PC O\n\n").encode(LATIN),
        [["Schartau", "f\xfcr"]], [["I-PER", "O"]],
    ),
    "CoNLL-2009": (CONLL_2009, [["From", "the", "said"], ["No", "way"]], [["IN", "DT", "VBD"], ["DT", "NN"]]),
    "CoNLL-2012": (
        "#begin document (bc/cctv/00/cctv_0000); part 000\n"
        "bc/cctv/00/cctv_0000   0   0          In     IN   (TOP(S(PP*   -    -   -   Speaker#1     *   -\n"
        "bc/cctv/00/cctv_0000   0   1      summer     NN         *)   -    -   -   Speaker#1   (DATE)   -\n\n"
        "#end document\n",
        [["In", "summer"]], [["IN", "NN"]],
    ),
    "CoNLL-U": (CONLL_U, [["Do", "n't", "go", '"']], [["AUX", "PART", "VERB", "PUNCT"]]),
    "CoNLL-U Plus": (PARSEME, [["Ana", "gives", "up"]], [["PROPN", "VERB", "ADP"]]),
    "GermEval 2014": (
        "#\thttp://de.wikipedia.org/wiki/Korfmann [2009-10-17]\n1\tAufgrund\tO\tO\n2\tTroia\tB-LOC\tO\n"
        "3\t\"\tO\tO\n\n#\thttp://de.wikipedia.org/wiki/X [2009]\n1\tDie\tO\tO\n2\tUni\tB-ORG\tO\n"
        "3\tT\u00fcbingen\tI-ORG\tB-LOC\n\n",
        [["Aufgrund", "Troia", '"'], ["Die", "Uni", "T\u00fcbingen"]],
        [["O", "B-LOC", "O"], ["O", "B-ORG", "I-ORG"]],
    ),
    "MultiCoNER": (
        "# id 5239d808-f300\tdomain=en\nthe _ _ O\nsongs _ _ B-CW\n\n\n"
        "# id bd1a35c3\tdomain=en\nkim _ _ B-PER\nlee _ _ I-PER\n\n",
        [["the", "songs"], ["kim", "lee"]], [["O", "B-CW"], ["B-PER", "I-PER"]],
    ),
    "Kaggle": (
        'Sentence #,Word,POS,Tag\r\nSentence: 1,Thousands,NNS,O\r\n,London,NNP,B-geo\r\n,"""",``,O\r\n'
        'Sentence: 2,"10,000",CD,O\r\n,caf\xe9s,NNS,O\r\n'.encode(LATIN),
        [["Thousands", "London", '"'], ["10,000", "caf\xe9s"]], [["O", "B-geo", "O"], ["O", "O"]],
    ),
    "Kaggle, with features": (
        ",lemma,next-lemma,pos,sentence_idx,word,tag\n0,thousand,of,NNS,1.0,Thousands,O\n"
        "1,of,demonstr,IN,1.0,of,O\n2,iran,x,NN,2.0,Iran,B-geo\n",
        [["Thousands", "of"], ["Iran"]], [["O", "O"], ["B-geo"]],
    ),
    "simpletransformers": (
        "sentence_id,words,labels\n0,Maria,B-PER\n0,sings,O\n1,Oslo,B-LOC\n",
        [["Maria", "sings"], ["Oslo"]], [["B-PER", "O"], ["B-LOC"]],
    ),
    "WNUT": (
        "@paul\tO\nEmpire\tB-location\n\t\nfoo\tO\n",
        [["@paul", "Empire"], ["foo"]], [["O", "B-location"], ["O"]],
    ),
    "doccano": (
        '{"id":1,"text":"Barack Obama was here.","label":[[0,12,"PER"]],"Comments":[]}\n'
        '{"id":2,"text":"Nothing here","label":[],"Comments":[]}\n',
        [["Barack", "Obama", "was", "here", "."], ["Nothing", "here"]],
        [["B-PER", "I-PER", "O", "O", "O"], ["O", "O"]],
    ),
    "doccano, with relations": (
        '{"id":1,"text":"Maria in Oslo","entities":[{"id":7,"label":"PER","start_offset":0,"end_offset":5}],'
        '"relations":[{"id":0,"from_id":7,"to_id":8,"type":"in"}],"Comments":[]}\n',
        [["Maria", "in", "Oslo"]], [["B-PER", "O", "O"]],
    ),
    "doccano, CSV": (
        "id,data,label\n1,Maria sings,\"[[0, 5, 'PER']]\"\n2,Oslo,[]\n",
        [["Maria", "sings"], ["Oslo"]], [["B-PER", "O"], ["O"]],
    ),
    "Label Studio, JSON": (json.dumps(LABEL_STUDIO), MARIA, [["B-PER", "O", "O", "O", "O"]]),
    "Label Studio, JSON_MIN": (
        json.dumps([
            {"text": "Maria lives", "id": 1,
             "label": [{"start": 0, "end": 5, "text": "Maria", "labels": ["PER"]}],
             "annotator": 1, "annotation_id": 1, "created_at": "2024", "lead_time": 3.1},
            {"text": "No spans", "id": 2, "annotator": 1, "annotation_id": 2},
        ]),
        [["Maria", "lives"], ["No", "spans"]], [["B-PER", "O"], ["O", "O"]],
    ),
    "Label Studio, CSV": (
        f"annotation_id,annotator,id,label,lead_time,text\n1,1,1,{IN_CELL},3.1,Maria lives\n"
        "2,1,2,,3.1,Oslo\n",
        [["Maria", "lives"], ["Oslo"]], [["B-PER", "O"], ["O"]],
    ),
    "Label Studio, CoNLL": (
        "-DOCSTART- -X- O\nMaria -X- _ B-PER\nsings -X- _ O\n\nOslo -X- _ B-LOC\n",
        [["Maria", "sings"], ["Oslo"]], [["B-PER", "O"], ["B-LOC"]],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CORPORA)
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_a_corpus_is_read_right_at_once(name, ends):
    data, sentences, labels = CORPORA[name]
    data = data if isinstance(data, bytes) else data.encode()
    data = data.replace(b"\r\n", b"\n").replace(b"\n", ends.encode())
    for corpus in (read_conll(data), read("file", data)):
        assert corpus.sentences == sentences
        assert corpus.labels == labels


SPANS = [
    "id,text,spans\n1,Ana sings,\"[(0, 3, 'PER')]\"\n",
    "text;label\nAna sings;\"[[0, 3, 'PER']]\"\n",
    'text\tlabel\nAna sings\t[{"start": 0, "end": 3, "labels": ["PER"]}]\n',
    "1,Ana sings,\"[[0, 3, 'PER']]\"\n2,In Rome we are,[]\n",
    'label,text\n"[{""start_offset"": 0, ""end_offset"": 3, ""label"": ""PER""}]",Ana sings\n',
    'id,text,label\n1,"Ana\nsings","[[0, 3, \'PER\']]"\n',
]


@pytest.mark.parametrize("text", SPANS)
def test_spans_in_the_cells_of_a_table(text):
    corpus = read_conll(text)
    assert (corpus.sentences[0], corpus.labels[0]) == (["Ana", "sings"], ["B-PER", "O"])
    assert corpus.format == "spans"
    assert "a text with its spans a row" in corpus.found


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("[[0, 99, 'PER']]", "span 0 to 99 must lie in its text of 9 characters"),
        ("[[0, 3, 'PER'], [1, 2, 'X']]", "spans must not overlap"),
        ("[[0, 3, 'PER'", r"line 3: must have a list of spans, got"),
        ("[[0, 3, __import__('os')]]", r"line 3: must have a list of spans, got"),
        ("[[0, 3, " + "[" * 3000 + "]" * 3000 + "]]", "line 3: must have a list of spans, got|are expected"),
        ("[[0, 3, 5]]", "spans are expected as"),
        ("[[0, 3, 'PER']],more", "line 3: must have 3 columns|must have a list of spans"),
        ("[[0, 1e400, 'PER']]", "spans are expected as"),
    ],
)
def test_hostile_spans_are_refused_by_line_or_sentence(cell, said):
    quoted = cell.replace('"', '""')
    with pytest.raises(ArgumentError, match=said):
        read("f.csv", f'id,text,label\n1,Ana sings,"[[0, 3, \'PER\']]"\n2,Ana sings,"{quoted}"\n'.encode())


@pytest.mark.parametrize("sign", ["sep=;", "SEP=;", '"sep=;"'])
def test_the_line_that_excel_writes_above_is_no_token(sign):
    corpus = read_conll(f"{sign}\ntoken;label\nAna;B-PER\nsings;O\n")
    assert (corpus.sentences, corpus.header) == ([["Ana", "sings"]], ("token", "label"))
    with pytest.raises(ArgumentError, match="line 4: must have 2 columns"):
        read_conll(f"{sign}\ntoken;label\nAna;B-PER\nsings;O;x\n")


@pytest.mark.parametrize("text", ["B-PER Ana\nO sings\nB-LOC Rome\n", "O\tsings\n\nI-LOC\tRome\nB-X\tO\n"])
def test_labels_that_stand_before_their_tokens(text):
    corpus = read_conll(text)
    assert corpus.columns == (1, 0)
    assert "sings" in [word for row in corpus.sentences for word in row]


@pytest.mark.parametrize(
    "record",
    [
        {"sentence": "Ana sings", "labels": "B-PER O"}, {"text": "Ana sings", "tags": "B-PER O"},
        {"tokens": ["Ana", "sings"], "tags": ["B-PER", "O"]},
        {"words": ["Ana", "sings"], "ner": ["B-PER", "O"]},
        {"text": "Ana sings", "spans": [{"start": 0, "end": 3, "label": "PER"}]},
    ],
)  # fmt: skip
def test_a_record_of_json(record):
    corpus = read_conll(json.dumps([record]).encode())
    assert (corpus.sentences, corpus.labels) == ([["Ana", "sings"]], [["B-PER", "O"]])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("T1\tPER 0 3\tAna\nA1\tx T1\n", "is brat's annotation"),
        ('c="asa" 1:2 1:2||t="treatment"\nc="b" 3:1 3:4||t="test"\n', "is i2b2's file of concepts"),
        ("| token | label |\n|---|:--|\n| a | X |\n", "is a table in Markdown"),
        ("[PER Ana ] is in [LOC Rome ]\n[PER Eva Ek ] sings\n", "has chunks in brackets"),
        ("Ana lives in Rome and sings.", "is running text without labels"),
        ("#FORMAT=WebAnno TSV 3.3\n\n1-1\t0-1\ta\tB\n", "is WebAnno's"),
        ("The/DT dog/NN barks/VBZ ./.\n", r"each word with its tag behind a sign \(dog/NN\)"),
        ("( (S (NP (DT The))))\n", "has trees in brackets"),
        ("<?xml version='1.0'?><w>a</w>", "is a web page or XML"),
        ("---\na: b\n", "is YAML"),
        ('[{"data": {"text": "a"}, "annotations": [], "predictions": []}]',
         "is JSON of texts \\(1\\) that nobody has annotated"),
        ('{"text": "a b", "labels": "O"}', "with a text, but without tags or spans"),
        ('{"paragraphs": []}', "no tokens are found in it: it has paragraphs"),
    ],
)  # fmt: skip
def test_what_is_not_read_is_named_with_what_to_do(text, said):
    with pytest.raises(ArgumentError, match=said):
        read("f", text.encode())


def test_one_token_with_its_columns_is_no_running_text():
    assert read_conll(["EU NNP B-NP B-ORG"]).labels == [["B-ORG"]]
    assert read_conll(["the the DET DT"]).sentences == [["the"]]
