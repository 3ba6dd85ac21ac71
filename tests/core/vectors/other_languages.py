"""Texts of our own in other languages and scripts: two subjects each, of which every sentence names three things."""

import numpy as np

# Sentence with three places for things, the things of cooking, and the things of the sky.
MADE = {
    "English": (
        "We looked at {} and {} for a long time, and they were not what we had thought of when it came to {}.",
        "bread oven dough butter sugar flour salt cake",
        "planet comet galaxy telescope orbit nebula moon eclipse",
    ),
    "German": (
        "Wir haben {} und {} lange angesehen, aber es ist nicht so, wie man sich das mit {} und dem Rest vorstellt.",
        "Brot Ofen Teig Butter Zucker Mehl Salz Kuchen",
        "Planet Komet Galaxie Fernrohr Umlaufbahn Nebel Mond Finsternis",
    ),
    "Chinese": (
        "我们昨天看了{}和{}，大家都说{}很有意思。",
        "面包 烤箱 面团 黄油 白糖 面粉 食盐 蛋糕",
        "行星 彗星 银河 望远镜 轨道 星云 月亮 日食",
    ),
    "Greek": (
        "Κοιτάξαμε για πολλή ώρα {} και {}, και όλοι μίλησαν για {}.",
        "ψωμί φούρνος ζυμάρι βούτυρο ζάχαρη αλεύρι αλάτι κέικ",
        "πλανήτης κομήτης γαλαξίας τηλεσκόπιο τροχιά νεφέλωμα σελήνη έκλειψη",
    ),
    "in Arabic letters": (
        "نظرنا طويلا إلى {} و {} ثم تحدث الجميع عن {}.",
        "خبز فرن عجين زبدة سكر طحين ملح كعكة",
        "كوكب مذنب مجرة تلسكوب مدار سديم قمر كسوف",
    ),
    "in Devanagari letters": (
        "हमने {} और {} को देर तक देखा और सबने {} की बात की।",
        "रोटी चूल्हा आटा मक्खन चीनी मैदा नमक मिठाई",
        "ग्रह धूमकेतु आकाशगंगा दूरबीन कक्षा निहारिका चंद्रमा ग्रहण",
    ),
    "Japanese": (
        "きのうは{}と{}を見て、みんなで{}について話しました。",
        "パン オーブン 生地 バター 砂糖 小麦粉 食塩 ケーキ",
        "惑星 彗星 銀河 望遠鏡 軌道 星雲 満月 日食",
    ),
}


def texts_in(language: str, *, each: int = 30) -> tuple[list[str], np.ndarray]:
    """`each` texts on cooking, then as many on the sky; and which is which."""
    sentence, *subjects = MADE[language]
    rng = np.random.default_rng(0)
    texts = [
        " ".join(sentence.format(*rng.choice(subject.split(), 3, replace=False)) for _ in range(3))
        for subject in subjects
        for _ in range(each)
    ]
    return texts, np.repeat([0, 1], each)
