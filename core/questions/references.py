"""The works that answers cite."""

WORKS = {
    "hits": "J. Sawatphol, C. Udomcharoenchaikit and S. Nutanong. Addressing Topic Leakage in Cross-Topic Evaluation for Authorship "
    "Verification. Transactions of the ACL 12, 2024. doi:10.1162/tacl_a_00709.",
    "bootstrap": "B. Efron. Bootstrap Methods: Another Look at the Jackknife. Annals of Statistics 7, 1979.",
    "expanded": "T. C. Hesterberg. What Teachers Should Know About the Bootstrap. The American Statistician 69, 2015.",
    "terms": "M. Grootendorst. BERTopic: Neural Topic Modeling with a Class-Based TF-IDF Procedure. 2022.",
    "novel": "A. I. Schein, J. F. Caver, R. J. Honaker and C. H. Martell. Author Attribution Evaluation with Novel Topic "
    "Cross-Validation. KDIR 2010.",
    "holm": "S. Holm. A Simple Sequentially Rejective Multiple Test Procedure. Scandinavian Journal of Statistics 6, 1979.",
    "tests": "Y. Yang and X. Liu. A Re-examination of Text Categorization Methods. SIGIR 1999.",
    "corrected": "C. Nadeau and Y. Bengio. Inference for the Generalization Error. Machine Learning 52, 2003.",
    "trust": "J. Neville, B. Gallagher, T. Eliassi-Rad and T. Wang. Correcting Evaluation Bias of Relational Classifiers with Network "
    "Cross Validation. Knowledge and Information Systems 30, 2012.",
}


def works(*names: str) -> tuple[str, ...]:
    """Return the works of these names."""
    return tuple(WORKS[name] for name in names)
