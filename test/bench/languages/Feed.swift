import Foundation

struct Post: Decodable {
    let id: Int
    let title: String
    let isRead: Bool
}

final class Feed {
    private var posts: [Post] = []
    private let load: (URL) async throws -> Data

    init(load: @escaping (URL) async throws -> Data) {
        self.load = load
    }

    func refresh(from url: URL) async throws {
        let data = try await load(url)
        let decoded = try JSONDecoder().decode([Post].self, from: data)
        guard !decoded.isEmpty else {
            return
        }
        for post in decoded {
            if let index = posts.firstIndex(where: { $0.id == post.id }) {
                posts[index] = post
            } else {
                posts.append(post)
            }
        }
        posts.sort { $0.id > $1.id }
    }

    var unread: [Post] {
        posts.filter { post in
            !post.isRead
        }
    }
}
